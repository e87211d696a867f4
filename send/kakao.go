package send

import (
	"strconv"
	"strings"
)

// KakaoImage is an uploaded picture of a [FriendTalk] or [BrandMessage].
type KakaoImage struct {
	ImgURL  string `json:"img_url"`            // required; from the vendor's Kakao image upload
	ImgLink string `json:"img_link,omitempty"` // opened by a tap, at most 1000 characters; none: KakaoTalk shows the picture
}

// Video is a film at Kakao TV.
type Video struct {
	VideoURL     string `json:"video_url"`               // required: https://tv.kakao.com/v/<id> or …/channel/<id>/cliplink/<id>, at most 500 characters
	ThumbnailURL string `json:"thumbnail_url,omitempty"` // at most 500 characters; Kakao requires it for private films
}

// Coupon is a coupon below a [FriendTalk] or [BrandMessage] (쿠폰). Kakao takes
// a title only in one of these forms (spec 2.7): "1000원 할인 쿠폰" (1 to
// 99,999,999), "10% 할인 쿠폰" (1 to 100), "배송비 할인 쿠폰", and "○○ 무료 쿠폰" or
// "○○ UP 쿠폰" with at most 7 characters for ○○.
type Coupon struct {
	Title         string `json:"title"`                // required
	Description   string `json:"description"`          // required, at most 18 characters below wide messages, lists and videos, else 12
	URLMobile     string `json:"url_mobile,omitempty"` // in a BrandMessage this or a scheme is required
	URLPC         string `json:"url_pc,omitempty"`
	SchemeAndroid string `json:"scheme_android,omitempty"`
	SchemeIOS     string `json:"scheme_ios,omitempty"`
}

// Commerce is what a product costs, in won. With DiscountPrice, one of
// DiscountRate and DiscountFixed is required; nil leaves a price out.
type Commerce struct {
	Title         string `json:"title"`                    // required, at most 30 characters
	RegularPrice  int    `json:"regular_price"`            // 0 to 99,999,999
	DiscountPrice *int   `json:"discount_price,omitempty"` // 0 to 99,999,999
	DiscountRate  *int   `json:"discount_rate,omitempty"`  // percent, 0 to 100
	DiscountFixed *int   `json:"discount_fixed,omitempty"` // 0 to 999,999
}

// WideItemList is the list of a message of kind fl or ul (와이드 아이템 리스트).
type WideItemList struct {
	List []WideItem `json:"list"` // 3 to 4 in a FriendTalk, 3 to 5 in a BrandMessage
}

// WideItem is a row of a [WideItemList].
type WideItem struct {
	Title         string `json:"title,omitempty"` // required but for the first of a BrandMessage; at most 25 characters, 30 after the first of a BrandMessage
	ImgURL        string `json:"img_url"`         // required
	URLMobile     string `json:"url_mobile"`      // required
	URLPC         string `json:"url_pc,omitempty"`
	SchemeAndroid string `json:"scheme_android,omitempty"`
	SchemeIOS     string `json:"scheme_ios,omitempty"`
}

func (i *KakaoImage) check(c *checker) {
	c.requiredChars("ImgURL", i.ImgURL, maxURL)
	c.chars("ImgLink", i.ImgLink, maxURL)
}

func (v *Video) check(c *checker) {
	if c.required("VideoURL", v.VideoURL) {
		c.chars("VideoURL", v.VideoURL, 500)
		if !kakaoTV(v.VideoURL) {
			c.add("VideoURL", "must be https://tv.kakao.com/v/<id> or https://tv.kakao.com/channel/<id>/cliplink/<id>")
		}
	}
	c.chars("ThumbnailURL", v.ThumbnailURL, 500)
}

func kakaoTV(s string) bool {
	path, ok := strings.CutPrefix(s, "https://tv.kakao.com/")
	if !ok || strings.ContainsAny(path, " ?#\t\r\n") {
		return false
	}
	p := strings.Split(path, "/")
	switch len(p) {
	case 2:
		return p[0] == "v" && p[1] != ""
	case 4:
		return p[0] == "channel" && p[1] != "" && p[2] == "cliplink" && p[3] != ""
	}
	return false
}

// maxURL bounds links and schemes (spec 2.7: 1000 characters).
const maxURL = 1000

// links checks the four ways to follow a link.
func (c *checker) links(mobile, pc, android, ios string) {
	c.chars("URLMobile", mobile, maxURL)
	c.chars("URLPC", pc, maxURL)
	c.chars("SchemeAndroid", android, maxURL)
	c.chars("SchemeIOS", ios, maxURL)
}

// lineBreaks allows at most limit line breaks.
func (c *checker) lineBreaks(name, value string, limit int) {
	if strings.Count(value, "\n") > limit {
		c.add(name, "more than "+strconv.Itoa(limit)+" line breaks")
	}
}

func (p *Coupon) check(c *checker, descriptionLimit int, linked bool) {
	if c.required("Title", p.Title) {
		c.utf8("Title", p.Title)
		if !couponTitle(p.Title) {
			c.add("Title", "not one of the forms that Kakao takes")
		}
	}
	c.requiredChars("Description", p.Description, descriptionLimit)
	if linked && p.URLMobile == "" && p.SchemeAndroid == "" && p.SchemeIOS == "" {
		c.add("URLMobile", "this or a scheme is required")
	}
	c.links(p.URLMobile, p.URLPC, p.SchemeAndroid, p.SchemeIOS)
}

// couponTitle reports whether s has one of the forms of spec 2.7.
func couponTitle(s string) bool {
	if s == "배송비 할인 쿠폰" {
		return true
	}
	if n, ok := strings.CutSuffix(s, "원 할인 쿠폰"); ok {
		return wholeNumber(n, 99_999_999)
	}
	if n, ok := strings.CutSuffix(s, "% 할인 쿠폰"); ok {
		return wholeNumber(n, 100)
	}
	for _, form := range [...]string{" 무료 쿠폰", " UP 쿠폰"} {
		if what, ok := strings.CutSuffix(s, form); ok {
			n := len([]rune(what))
			return n >= 1 && n <= 7
		}
	}
	return false
}

// wholeNumber reports whether s is a number from 1 to most, plain or with a
// comma between each three digits.
func wholeNumber(s string, most int) bool {
	if groups := strings.Split(s, ","); len(groups) > 1 {
		if len(groups[0]) == 0 || len(groups[0]) > 3 {
			return false
		}
		for _, g := range groups[1:] {
			if len(g) != 3 {
				return false
			}
		}
		s = strings.Join(groups, "")
	}
	if s == "" || strings.Trim(s, "0123456789") != "" || s[0] == '0' {
		return false
	}
	n, err := strconv.Atoi(s)
	return err == nil && n <= most
}

func (m *Commerce) check(c *checker) {
	c.requiredChars("Title", m.Title, 30)
	c.between("RegularPrice", &m.RegularPrice, 99_999_999)
	c.between("DiscountPrice", m.DiscountPrice, 99_999_999)
	c.between("DiscountRate", m.DiscountRate, 100)
	c.between("DiscountFixed", m.DiscountFixed, 999_999)
	if m.DiscountPrice != nil && m.DiscountRate == nil && m.DiscountFixed == nil {
		c.add("DiscountRate", "this or DiscountFixed is required with DiscountPrice")
	}
}

// between allows nil and the numbers from 0 to most.
func (c *checker) between(name string, n *int, most int) {
	if n != nil && (*n < 0 || *n > most) {
		c.add(name, "must be 0 to "+strconv.Itoa(most))
	}
}

// check takes a list of 3 to most rows; brand says that it belongs to a
// BrandMessage.
func (l *WideItemList) check(c *checker, most int, brand bool) {
	c.count("List", len(l.List), 3, most)
	for i, row := range l.List {
		in := c.item("List", i)
		limit := 25
		if brand && i > 0 {
			limit = 30
		}
		if !brand || i > 0 {
			in.required("Title", row.Title)
		}
		in.chars("Title", row.Title, limit)
		if brand {
			in.lineBreaks("Title", row.Title, 1)
		}
		in.requiredChars("ImgURL", row.ImgURL, maxURL)
		in.required("URLMobile", row.URLMobile)
		in.links(row.URLMobile, row.URLPC, row.SchemeAndroid, row.SchemeIOS)
	}
}
