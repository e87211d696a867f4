package send

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// RCS is a rich message to the handset's own message app (type rcs, spec 2.8).
// It is not an advertisement unless Header says so; an advertisement should
// set Message.Ad as well.
type RCS struct {
	MessageBaseID string            `json:"messagebaseid"`         // required: format or template, such as "SS000000", at most 40 characters
	ChatbotID     string            `json:"chatbotid"`             // required, at most 40; for most accounts the sender number
	Header        string            `json:"header"`                // required: "0" plain, "1" advertisement; the unified formats take "0" only
	Footer        string            `json:"footer,omitempty"`      // number to call for opting out, digits and hyphens; with Header "1", and only then
	CopyAllowed   Flag              `json:"copyallowed,omitempty"` // may the text be copied (Android); default No
	AgencyID      string            `json:"agencyid,omitempty"`    // at most 20 characters; default daoutech
	AgencyKey     string            `json:"agencykey,omitempty"`   // at most 64; required for second-tier agencies
	BrandKey      string            `json:"brandkey,omitempty"`    // at most 64
	GroupID       string            `json:"groupid,omitempty"`     // campaign in the statistics, at most 20
	Message       map[string]string `json:"message,omitempty"`     // texts by the name that the format or template gives them, such as "description"
	Buttons       []RCSCard         `json:"button,omitempty"`      // one entry per card of a carousel, else one
}

// RCSCard holds the buttons of one card; an empty one keeps the place of a
// card without buttons.
type RCSCard []RCSButton

// RCSButton is a button of an [RCS] message. Exactly one of the fields below
// Postback says what it does.
type RCSButton struct {
	Text     string // what it shows (displayText); required
	Postback string // data that comes back to the chatbot (postback.data); optional

	OpenURL       string       // opens a web page
	Dial          string       // calls a number, such as "+8215880000"
	ShowLocation  *RCSLocation // shows a place on the map
	ShareLocation bool         // asks for the recipient's place
	Compose       *RCSCompose  // writes a text to a number
	Calendar      *RCSEvent    // adds an event to the calendar
	Copy          string       // copies this text
}

// RCSLocation is a place on the map.
type RCSLocation struct {
	Latitude, Longitude float64 // degrees
	Label               string  // optional
	FallbackURL         string  // for handsets without a map; optional
}

// RCSCompose is a text that the recipient may send.
type RCSCompose struct {
	PhoneNumber string `json:"phoneNumber"` // required
	Text        string `json:"text"`        // required
}

// RCSEvent is an entry of a calendar. Its times are sent as they are given,
// in the form "2017-03-16T17:40:00.214+09:00".
type RCSEvent struct {
	StartTime   string `json:"startTime"` // required
	EndTime     string `json:"endTime"`   // required
	Title       string `json:"title"`     // required
	Description string `json:"description,omitempty"`
}

// Type returns "rcs".
func (RCS) Type() string { return "rcs" }

func (r RCS) appendJSON(b []byte) ([]byte, error) { return appendValue(b, r) }

func (r RCS) check(c *checker) {
	c.requiredChars("MessageBaseID", r.MessageBaseID, 40)
	c.requiredChars("ChatbotID", r.ChatbotID, 40)
	c.required("Header", r.Header)
	c.oneOf("Header", r.Header, "0", "1")
	r.checkFooter(c)
	c.flag("CopyAllowed", r.CopyAllowed)
	c.chars("AgencyID", r.AgencyID, 20)
	c.chars("AgencyKey", r.AgencyKey, 64)
	c.chars("BrandKey", r.BrandKey, 64)
	c.chars("GroupID", r.GroupID, 20)
	for _, name := range slices.Sorted(maps.Keys(r.Message)) {
		c.utf8("Message", name)
		c.utf8("Message", r.Message[name])
	}
	for i, card := range r.Buttons {
		for j, button := range card {
			button.check(c.item("Buttons["+strconv.Itoa(i)+"]", j))
		}
	}
	if f, ok := rcsFormatOf(r.MessageBaseID); ok {
		f.check(c, r)
	}
}

// checkFooter knows the result codes 8872 (footer with header 0), 8873 (none
// with header 1) and 8874 (digits and hyphens). That code also speaks of 20
// characters, the field's table of 64: the larger counts.
func (r RCS) checkFooter(c *checker) {
	switch {
	case r.Header == "1" && r.Footer == "":
		c.add("Footer", "required with Header 1")
	case r.Header == "0" && r.Footer != "":
		c.add("Footer", "not allowed with Header 0")
	case strings.Trim(r.Footer, "0123456789-") != "":
		c.add("Footer", "must be digits and hyphens")
	default:
		c.chars("Footer", r.Footer, 64)
	}
}

func (b RCSButton) check(c *checker) {
	if c.required("Text", b.Text) {
		c.utf8("Text", b.Text)
	}
	c.utf8("Postback", b.Postback)
	c.utf8("OpenURL", b.OpenURL)
	c.utf8("Dial", b.Dial)
	c.utf8("Copy", b.Copy)
	actions := 0
	for _, given := range [...]bool{
		b.OpenURL != "", b.Dial != "", b.ShowLocation != nil, b.ShareLocation,
		b.Compose != nil, b.Calendar != nil, b.Copy != "",
	} {
		if given {
			actions++
		}
	}
	if actions != 1 {
		c.add("OpenURL", "exactly one of OpenURL, Dial, ShowLocation, ShareLocation, Compose, Calendar, Copy is required")
	}
	if b.ShowLocation != nil {
		b.ShowLocation.check(c.in("ShowLocation"))
	}
	if b.Compose != nil {
		b.Compose.check(c.in("Compose"))
	}
	if b.Calendar != nil {
		b.Calendar.check(c.in("Calendar"))
	}
}

func (l *RCSLocation) check(c *checker) {
	if math.IsNaN(l.Latitude) || math.Abs(l.Latitude) > 90 {
		c.add("Latitude", "must be -90 to 90 degrees")
	}
	if math.IsNaN(l.Longitude) || math.Abs(l.Longitude) > 180 {
		c.add("Longitude", "must be -180 to 180 degrees")
	}
	c.utf8("Label", l.Label)
	c.utf8("FallbackURL", l.FallbackURL)
}

func (m *RCSCompose) check(c *checker) {
	if c.required("PhoneNumber", m.PhoneNumber) {
		c.utf8("PhoneNumber", m.PhoneNumber)
	}
	if c.required("Text", m.Text) {
		c.utf8("Text", m.Text)
	}
}

func (e *RCSEvent) check(c *checker) {
	c.moment("StartTime", e.StartTime)
	c.moment("EndTime", e.EndTime)
	if c.required("Title", e.Title) {
		c.utf8("Title", e.Title)
	}
	c.utf8("Description", e.Description)
}
