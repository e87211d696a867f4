package send

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// rcsFormat is what the vendor's table says about a message base (spec 2.8).
type rcsFormat struct {
	cards    int      // of a carousel; 1 for a single card
	buttons  int      // most buttons of a card
	chars    int      // most characters of a card's description
	template bool     // the keys of Message are the template's own
	unified  bool     // unified RCS: Header 0, no Footer
	required []string // keys of Message
}

// rcsFormatOf returns the format that id names, if it is one of the table.
func rcsFormatOf(id string) (rcsFormat, bool) {
	switch id {
	case "SS000000":
		return rcsFormat{cards: 1, buttons: 1, chars: 100}, true
	case "SL000000":
		return rcsFormat{cards: 1, buttons: 3, chars: 1300}, true
	case "SMwThT00", "SMwThM00":
		return rcsFormat{cards: 1, buttons: 2, chars: 1300}, true
	case "CMwMhM0200", "CMwMhM0300", "CMwMhM0400", "CMwMhM0500", "CMwMhM0600",
		"CMwShS0200", "CMwShS0300", "CMwShS0400", "CMwShS0500", "CMwShS0600":
		return rcsFormat{cards: int(id[7] - '0'), buttons: 2, chars: 1300}, true
	case "OMHITV0001", "OMHITS0001":
		return rcsFormat{cards: 1, buttons: 2, chars: 150, required: []string{"media", "subTitle1", "subDesc1"}}, true
	case "OMHIMV0001", "OMHIMS0001", "OMSNSS0001", "OMSNSH0001":
		return rcsFormat{cards: 1, buttons: 2, chars: 150, required: []string{"media", "description"}}, true
	case "OMTBNV0001":
		return rcsFormat{cards: 1, buttons: 2, chars: 150, required: []string{"media", "subMedia1", "subDesc1", "subMedia2", "subDesc2"}}, true
	case "OMTBNH0001":
		return rcsFormat{cards: 1, buttons: 2, chars: 150, required: []string{"media", "description", "subMedia1", "subMedia2", "subMedia3"}}, true
	case "RPSSAXX001":
		return rcsFormat{cards: 1, buttons: 1, chars: 100, unified: true}, true
	case "RPLSAXX001":
		return rcsFormat{cards: 1, buttons: 3, chars: 1300, unified: true}, true
	case "RPMSMMX001", "RPMSMTX001":
		return rcsFormat{cards: 1, buttons: 2, chars: 1300, unified: true}, true
	}
	switch {
	case strings.HasPrefix(id, "UBR."): // 90 characters with the template's own text, which is not known here
		return rcsFormat{cards: 1, buttons: 2, chars: math.MaxInt, template: true}, true
	case strings.HasPrefix(id, "LBR."):
		return rcsFormat{cards: 1, buttons: 2, chars: 1300, template: true}, true
	case strings.HasPrefix(id, "IBR."): // 150 or 1000 (spec A21)
		return rcsFormat{cards: 1, buttons: 2, chars: 1000, template: true}, true
	}
	return rcsFormat{}, false
}

func (f rcsFormat) check(c *checker, r RCS) {
	for _, key := range f.required {
		c.required("Message["+key+"]", r.Message[key])
	}
	for _, key := range slices.Sorted(maps.Keys(r.Message)) {
		name, value := "Message["+key+"]", r.Message[key]
		kind := strings.TrimRight(key, "123456")
		switch {
		case kind == "description":
			c.chars(name, value, f.chars)
		case !f.template && (kind == "media" || kind == "subMedia") && value != "" && !rcsMedia(value):
			c.add(name, "must be maapfile://… or one of the three YouTube forms with ,maapfile://… (spec 2.8)")
		}
	}
	for card := f.cards + 1; f.cards > 1 && card <= 6; card++ {
		for _, kind := range [...]string{"title", "description", "media"} {
			if key := kind + strconv.Itoa(card); r.Message[key] != "" {
				c.add("Message["+key+"]", "the format has no such card")
			}
		}
	}
	switch {
	case f.cards == 1:
		c.count("Buttons", len(r.Buttons), 0, 1)
	case len(r.Buttons) != 0:
		c.count("Buttons", len(r.Buttons), f.cards, f.cards)
	}
	for i, card := range r.Buttons {
		c.count("Buttons["+strconv.Itoa(i)+"]", len(card), 0, f.buttons)
	}
	if f.unified && r.Header == "1" {
		c.add("Header", "must be 0 for unified RCS")
	}
}

// rcsMedia reports whether s is a file of the RCS portal, or a film at
// YouTube followed by such a file for its thumbnail, without spaces.
func rcsMedia(s string) bool {
	if strings.ContainsAny(s, " \t\r\n") {
		return false
	}
	film, file, both := strings.Cut(s, ",")
	if !both {
		film, file = "", s
	}
	if id, ok := strings.CutPrefix(file, "maapfile://"); !ok || id == "" {
		return false
	}
	if !both {
		return true
	}
	for _, site := range [...]string{
		"https://www.youtube.com/watch?v=", "https://youtu.be/", "https://m.youtube.com/watch?v=",
	} {
		if id, ok := strings.CutPrefix(film, site); ok && id != "" {
			return true
		}
	}
	return false
}
