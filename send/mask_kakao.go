package send

import (
	"fmt"
	"log/slog"
)

// String returns the name of the type and nothing of the content.
func (FriendTalk) String() string { return hidden("FriendTalk") }

// GoString returns the name of the type and nothing of the content.
func (FriendTalk) GoString() string { return hidden("FriendTalk") }

// Format prints the name of the type and nothing of the content.
func (FriendTalk) Format(s fmt.State, _ rune) { hide(s, "FriendTalk") }

// LogValue returns the name of the type and nothing of the content.
func (FriendTalk) LogValue() slog.Value { return hiddenValue("FriendTalk") }

// String returns the name of the type and nothing of the content.
func (BrandMessage) String() string { return hidden("BrandMessage") }

// GoString returns the name of the type and nothing of the content.
func (BrandMessage) GoString() string { return hidden("BrandMessage") }

// Format prints the name of the type and nothing of the content.
func (BrandMessage) Format(s fmt.State, _ rune) { hide(s, "BrandMessage") }

// LogValue returns the name of the type and nothing of the content.
func (BrandMessage) LogValue() slog.Value { return hiddenValue("BrandMessage") }

// String returns the name of the type and nothing of the content.
func (VideoVariable) String() string { return hidden("VideoVariable") }

// GoString returns the name of the type and nothing of the content.
func (VideoVariable) GoString() string { return hidden("VideoVariable") }

// Format prints the name of the type and nothing of the content.
func (VideoVariable) Format(s fmt.State, _ rune) { hide(s, "VideoVariable") }

// LogValue returns the name of the type and nothing of the content.
func (VideoVariable) LogValue() slog.Value { return hiddenValue("VideoVariable") }

// String returns the name of the type and nothing of the content.
func (CardVariable) String() string { return hidden("CardVariable") }

// GoString returns the name of the type and nothing of the content.
func (CardVariable) GoString() string { return hidden("CardVariable") }

// Format prints the name of the type and nothing of the content.
func (CardVariable) Format(s fmt.State, _ rune) { hide(s, "CardVariable") }

// LogValue returns the name of the type and nothing of the content.
func (CardVariable) LogValue() slog.Value { return hiddenValue("CardVariable") }

// String returns the name of the type and nothing of the content.
func (KakaoImage) String() string { return hidden("KakaoImage") }

// GoString returns the name of the type and nothing of the content.
func (KakaoImage) GoString() string { return hidden("KakaoImage") }

// Format prints the name of the type and nothing of the content.
func (KakaoImage) Format(s fmt.State, _ rune) { hide(s, "KakaoImage") }

// LogValue returns the name of the type and nothing of the content.
func (KakaoImage) LogValue() slog.Value { return hiddenValue("KakaoImage") }

// String returns the name of the type and nothing of the content.
func (Video) String() string { return hidden("Video") }

// GoString returns the name of the type and nothing of the content.
func (Video) GoString() string { return hidden("Video") }

// Format prints the name of the type and nothing of the content.
func (Video) Format(s fmt.State, _ rune) { hide(s, "Video") }

// LogValue returns the name of the type and nothing of the content.
func (Video) LogValue() slog.Value { return hiddenValue("Video") }

// String returns the name of the type and nothing of the content.
func (Coupon) String() string { return hidden("Coupon") }

// GoString returns the name of the type and nothing of the content.
func (Coupon) GoString() string { return hidden("Coupon") }

// Format prints the name of the type and nothing of the content.
func (Coupon) Format(s fmt.State, _ rune) { hide(s, "Coupon") }

// LogValue returns the name of the type and nothing of the content.
func (Coupon) LogValue() slog.Value { return hiddenValue("Coupon") }

// String returns the name of the type and nothing of the content.
func (Commerce) String() string { return hidden("Commerce") }

// GoString returns the name of the type and nothing of the content.
func (Commerce) GoString() string { return hidden("Commerce") }

// Format prints the name of the type and nothing of the content.
func (Commerce) Format(s fmt.State, _ rune) { hide(s, "Commerce") }

// LogValue returns the name of the type and nothing of the content.
func (Commerce) LogValue() slog.Value { return hiddenValue("Commerce") }

// String returns the name of the type and nothing of the content.
func (WideItemList) String() string { return hidden("WideItemList") }

// GoString returns the name of the type and nothing of the content.
func (WideItemList) GoString() string { return hidden("WideItemList") }

// Format prints the name of the type and nothing of the content.
func (WideItemList) Format(s fmt.State, _ rune) { hide(s, "WideItemList") }

// LogValue returns the name of the type and nothing of the content.
func (WideItemList) LogValue() slog.Value { return hiddenValue("WideItemList") }

// String returns the name of the type and nothing of the content.
func (WideItem) String() string { return hidden("WideItem") }

// GoString returns the name of the type and nothing of the content.
func (WideItem) GoString() string { return hidden("WideItem") }

// Format prints the name of the type and nothing of the content.
func (WideItem) Format(s fmt.State, _ rune) { hide(s, "WideItem") }

// LogValue returns the name of the type and nothing of the content.
func (WideItem) LogValue() slog.Value { return hiddenValue("WideItem") }

// String returns the name of the type and nothing of the content.
func (Carousel) String() string { return hidden("Carousel") }

// GoString returns the name of the type and nothing of the content.
func (Carousel) GoString() string { return hidden("Carousel") }

// Format prints the name of the type and nothing of the content.
func (Carousel) Format(s fmt.State, _ rune) { hide(s, "Carousel") }

// LogValue returns the name of the type and nothing of the content.
func (Carousel) LogValue() slog.Value { return hiddenValue("Carousel") }

// String returns the name of the type and nothing of the content.
func (CarouselHead) String() string { return hidden("CarouselHead") }

// GoString returns the name of the type and nothing of the content.
func (CarouselHead) GoString() string { return hidden("CarouselHead") }

// Format prints the name of the type and nothing of the content.
func (CarouselHead) Format(s fmt.State, _ rune) { hide(s, "CarouselHead") }

// LogValue returns the name of the type and nothing of the content.
func (CarouselHead) LogValue() slog.Value { return hiddenValue("CarouselHead") }

// String returns the name of the type and nothing of the content.
func (Card) String() string { return hidden("Card") }

// GoString returns the name of the type and nothing of the content.
func (Card) GoString() string { return hidden("Card") }

// Format prints the name of the type and nothing of the content.
func (Card) Format(s fmt.State, _ rune) { hide(s, "Card") }

// LogValue returns the name of the type and nothing of the content.
func (Card) LogValue() slog.Value { return hiddenValue("Card") }

// String returns the name of the type and nothing of the content.
func (Attachment) String() string { return hidden("Attachment") }

// GoString returns the name of the type and nothing of the content.
func (Attachment) GoString() string { return hidden("Attachment") }

// Format prints the name of the type and nothing of the content.
func (Attachment) Format(s fmt.State, _ rune) { hide(s, "Attachment") }

// LogValue returns the name of the type and nothing of the content.
func (Attachment) LogValue() slog.Value { return hiddenValue("Attachment") }
