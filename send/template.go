package send

import (
	"maps"
	"slices"
	"strings"
)

// Template is an alimtalk template as it was registered, with its variables
// written as #{name} (알림톡 템플릿). It may be shared and used at once; Render
// copies.
type Template struct {
	SenderKey, Code string // key of the sender profile, and the template's code
	Text            string
	Title, Header   string
	Buttons         []Button
	QuickReplies    []Button
	Items           *ItemList
	Highlight       *Highlight
	Link            *Link
	Image           bool // emphasised by an image: sent as type ai
}

// Variables returns the names of the variables, in the order in which they
// appear.
func (t Template) Variables() []string {
	var names []string
	t.fill(func(_, text string) string {
		expand(text, func(name string) string {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			return ""
		})
		return text
	})
	return names
}

// Render fills the variables in for one recipient. It refuses a variable that
// is missing or not used, a name or a value that has #{ in it, as well as a
// SenderKey or Code that has, and a result that the vendor would refuse for its
// length, all at once as joined [*FieldError]; none shows a value. Values go
// into links as they are: escape them before, where the link asks for it.
func (t Template) Render(vars map[string]string) (AlimTalk, error) {
	c := newChecker()
	used := make(map[string]bool, len(vars))
	rendered := t.fill(func(field, text string) string {
		out, open := expand(text, func(name string) string {
			if strings.Contains(name, "#{") {
				c.add(field, "a variable's name has a variable in it")
			}
			value, ok := vars[name]
			if !ok && !used[name] {
				c.add("Variables["+name+"]", "missing")
			}
			used[name] = true
			return value
		})
		if open || strings.Contains(out, "#{") {
			c.add(field, "a variable is left over")
		}
		return out
	})
	if strings.Contains(t.SenderKey, "#{") {
		c.add("SenderKey", "has a variable in it")
	}
	if strings.Contains(t.Code, "#{") {
		c.add("TemplateCode", "has a variable in it")
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		switch {
		case !used[name]:
			c.add("Variables["+name+"]", "not in the template")
		case strings.Contains(vars[name], "#{"):
			c.add("Variables["+name+"]", "holds a variable itself")
		}
	}
	rendered.check(c)
	if err := c.err(); err != nil {
		return AlimTalk{}, err
	}
	return rendered, nil
}

// expand replaces each #{name} in text. It reports a #{ that is not closed.
func expand(text string, value func(name string) string) (_ string, open bool) {
	before, rest, found := strings.Cut(text, "#{")
	if !found {
		return text, false
	}
	var b strings.Builder
	for found {
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return text, true
		}
		b.WriteString(before)
		b.WriteString(value(name))
		before, rest, found = strings.Cut(after, "#{")
	}
	b.WriteString(before)
	return b.String(), false
}

// fill returns the template's content with f applied to each text of it.
func (t Template) fill(f func(field, text string) string) AlimTalk {
	out := AlimTalk{
		SenderKey: t.SenderKey, TemplateCode: t.Code, Image: t.Image,
		Text: f("Text", t.Text), Title: f("Title", t.Title), Header: f("Header", t.Header),
		Buttons: fillButtons("Buttons", t.Buttons, f), QuickReplies: fillButtons("QuickReplies", t.QuickReplies, f),
	}
	if t.Items != nil {
		items := ItemList{List: slices.Clone(t.Items.List)}
		for i := range items.List {
			fillItem(&items.List[i], f)
		}
		if t.Items.Summary != nil {
			summary := *t.Items.Summary
			fillItem(&summary, f)
			items.Summary = &summary
		}
		out.Items = &items
	}
	if t.Highlight != nil {
		h := *t.Highlight
		h.Title, h.Description = f("Highlight", h.Title), f("Highlight", h.Description)
		h.ImageURL = f("Highlight", h.ImageURL)
		out.Highlight = &h
	}
	if t.Link != nil {
		l := *t.Link
		for _, text := range []*string{&l.URLMobile, &l.URLPC, &l.SchemeAndroid, &l.SchemeIOS} {
			*text = f("Link", *text)
		}
		out.Link = &l
	}
	return out
}

func fillItem(i *Item, f func(field, text string) string) {
	i.Title, i.Description = f("Items", i.Title), f("Items", i.Description)
}

func fillButtons(field string, buttons []Button, f func(field, text string) string) []Button {
	buttons = slices.Clone(buttons)
	for i := range buttons {
		b := &buttons[i]
		for _, text := range []*string{
			&b.Name, &b.URLMobile, &b.URLPC, &b.SchemeAndroid, &b.SchemeIOS, &b.ChatExtra, &b.ChatEvent,
			&b.PluginID, &b.RelayID, &b.OneclickID, &b.ProductID, &b.TelNumber, &b.MapAddress, &b.MapCoordinates,
		} {
			*text = f(field, *text)
		}
	}
	return buttons
}
