package send

import (
	"strings"
	"unicode"
)

// AlimTalk is a Kakao notification message (알림톡, types at and ai, spec 2.5).
// Text, Title, Buttons and whatever else the template has must be given as
// the template says, with its variables filled in; [Template] does that.
type AlimTalk struct {
	SenderKey    string     `json:"senderkey"`               // key of the sender profile, required, at most 40 characters
	TemplateCode string     `json:"templatecode"`            // required, at most 32 characters
	Text         string     `json:"message"`                 // required, at most 1,300 characters; the vendor advises 1,000
	Title        string     `json:"title,omitempty"`         // emphasised line, at most 50 characters
	Header       string     `json:"header,omitempty"`        // of the item list, at most 16 characters
	Buttons      []Button   `json:"button,omitempty"`        // at most 5
	QuickReplies []Button   `json:"quickreply,omitempty"`    // at most 10
	Items        *ItemList  `json:"item,omitempty"`          // nil: none
	Highlight    *Highlight `json:"itemhighlight,omitempty"` // nil: none
	Link         *Link      `json:"link,omitempty"`          // nil: none
	Image        bool       `json:"-"`                       // sent as type ai: only for templates emphasised by an image, never for item lists
}

// ItemList is the table in an [AlimTalk].
type ItemList struct {
	List    []Item `json:"list"`              // 2 to 10 entries
	Summary *Item  `json:"summary,omitempty"` // last line; its description is an amount of at most 14 characters, such as "2,000원"
}

// Item is a line of an [ItemList].
type Item struct {
	Title       string `json:"title"`       // required, at most 6 characters
	Description string `json:"description"` // required, at most 23 characters
}

// Highlight is the large line above an [ItemList].
type Highlight struct {
	Title       string `json:"title"`              // required, at most 30 characters, 21 with an image; `\s` at its end strikes it through
	Description string `json:"description"`        // required, at most 19 characters, 14 with an image
	ImageURL    string `json:"imageUrl,omitempty"` // at most 500 characters
}

// Type returns "ai" when Image is set, else "at".
func (a AlimTalk) Type() string {
	if a.Image {
		return "ai"
	}
	return "at"
}

func (a AlimTalk) appendJSON(b []byte) ([]byte, error) { return appendValue(b, a) }

func (a AlimTalk) check(c *checker) {
	c.requiredChars("SenderKey", a.SenderKey, 40)
	c.requiredChars("TemplateCode", a.TemplateCode, 32)
	c.requiredChars("Text", a.Text, 1300)
	c.chars("Title", a.Title, 50)
	c.chars("Header", a.Header, 16)
	alimTalkButtons(c, "Buttons", a.Buttons, 5)
	alimTalkButtons(c, "QuickReplies", a.QuickReplies, 10)
	if a.Items != nil {
		a.Items.check(c.in("Items"))
		c.absent("Image", a.Image, "Items: an item list is sent as type at") // spec 2.5
	}
	if a.Highlight != nil {
		a.Highlight.check(c.in("Highlight"))
	}
	if a.Link != nil {
		a.Link.check(c.in("Link"))
	}
}

func alimTalkButtons(c *checker, name string, buttons []Button, most int) {
	c.count(name, len(buttons), 0, most)
	for i, b := range buttons {
		in := c.item(name, i)
		b.check(in)
		if b.Type == BizForm && b.BizFormID == 0 {
			in.add("BizFormID", "required")
		}
	}
}

func (l *ItemList) check(c *checker) {
	c.count("List", len(l.List), 2, 10)
	for i, item := range l.List {
		item.check(c.item("List", i), 23)
	}
	if l.Summary == nil {
		return
	}
	c = c.in("Summary")
	l.Summary.check(c, 14)
	if strings.ContainsFunc(l.Summary.Description, notAmount) {
		c.add("Description", "must be an amount: digits, comma, decimal point and a currency")
	}
}

// notAmount reports whether the vendor refuses r in the description of a
// summary (spec 2.5): it takes currency signs, codes of ISO 4217 and figures.
func notAmount(r rune) bool {
	switch {
	case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', strings.ContainsRune(",. 元円원", r):
		return false
	}
	return !unicode.Is(unicode.Sc, r)
}

func (i Item) check(c *checker, limit int) {
	c.requiredChars("Title", i.Title, 6)
	c.requiredChars("Description", i.Description, limit)
}

func (h *Highlight) check(c *checker) {
	title, description := 30, 19
	if h.ImageURL != "" {
		title, description = 21, 14 // A18: 13 or 14
	}
	c.requiredChars("Title", strings.TrimSuffix(h.Title, `\s`), title)
	c.requiredChars("Description", h.Description, description)
	c.chars("ImageURL", h.ImageURL, 500)
}
