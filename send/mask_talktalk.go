package send

import (
	"fmt"
	"log/slog"
)

// String returns the name of the type and nothing of the content.
func (TalkTalk) String() string { return hidden("TalkTalk") }

// GoString returns the name of the type and nothing of the content.
func (TalkTalk) GoString() string { return hidden("TalkTalk") }

// Format prints the name of the type and nothing of the content.
func (TalkTalk) Format(s fmt.State, _ rune) { hide(s, "TalkTalk") }

// LogValue returns the name of the type and nothing of the content.
func (TalkTalk) LogValue() slog.Value { return hiddenValue("TalkTalk") }

// String returns the name of the type and nothing of the content.
func (TalkTalkExtra) String() string { return hidden("TalkTalkExtra") }

// GoString returns the name of the type and nothing of the content.
func (TalkTalkExtra) GoString() string { return hidden("TalkTalkExtra") }

// Format prints the name of the type and nothing of the content.
func (TalkTalkExtra) Format(s fmt.State, _ rune) { hide(s, "TalkTalkExtra") }

// LogValue returns the name of the type and nothing of the content.
func (TalkTalkExtra) LogValue() slog.Value { return hiddenValue("TalkTalkExtra") }

// String returns the name of the type and nothing of the content.
func (TalkTalkAttachment) String() string { return hidden("TalkTalkAttachment") }

// GoString returns the name of the type and nothing of the content.
func (TalkTalkAttachment) GoString() string { return hidden("TalkTalkAttachment") }

// Format prints the name of the type and nothing of the content.
func (TalkTalkAttachment) Format(s fmt.State, _ rune) { hide(s, "TalkTalkAttachment") }

// LogValue returns the name of the type and nothing of the content.
func (TalkTalkAttachment) LogValue() slog.Value { return hiddenValue("TalkTalkAttachment") }

// String returns the name of the type and nothing of the content.
func (TalkTalkButton) String() string { return hidden("TalkTalkButton") }

// GoString returns the name of the type and nothing of the content.
func (TalkTalkButton) GoString() string { return hidden("TalkTalkButton") }

// Format prints the name of the type and nothing of the content.
func (TalkTalkButton) Format(s fmt.State, _ rune) { hide(s, "TalkTalkButton") }

// LogValue returns the name of the type and nothing of the content.
func (TalkTalkButton) LogValue() slog.Value { return hiddenValue("TalkTalkButton") }

// String returns the name of the type and nothing of the content.
func (TalkTalkGift) String() string { return hidden("TalkTalkGift") }

// GoString returns the name of the type and nothing of the content.
func (TalkTalkGift) GoString() string { return hidden("TalkTalkGift") }

// Format prints the name of the type and nothing of the content.
func (TalkTalkGift) Format(s fmt.State, _ rune) { hide(s, "TalkTalkGift") }

// LogValue returns the name of the type and nothing of the content.
func (TalkTalkGift) LogValue() slog.Value { return hiddenValue("TalkTalkGift") }

// String returns the name of the type and nothing of the content.
func (TalkTalkCoupon) String() string { return hidden("TalkTalkCoupon") }

// GoString returns the name of the type and nothing of the content.
func (TalkTalkCoupon) GoString() string { return hidden("TalkTalkCoupon") }

// Format prints the name of the type and nothing of the content.
func (TalkTalkCoupon) Format(s fmt.State, _ rune) { hide(s, "TalkTalkCoupon") }

// LogValue returns the name of the type and nothing of the content.
func (TalkTalkCoupon) LogValue() slog.Value { return hiddenValue("TalkTalkCoupon") }
