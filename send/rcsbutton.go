package send

import (
	"encoding/json"
	"time"
)

// The vendor wraps each action in two objects (spec 2.8); these types are that
// form. displayText stands inside action (spec A19).
type (
	rcsCard struct {
		Suggestions []RCSButton `json:"suggestions,omitempty"`
	}
	rcsSuggestion struct {
		Action rcsAction `json:"action"`
	}
	rcsAction struct {
		URL         *rcsURL      `json:"urlAction,omitempty"`
		Dialer      *rcsDialer   `json:"dialerAction,omitempty"`
		Map         *rcsMap      `json:"mapAction,omitempty"`
		Compose     *rcsCompose  `json:"composeAction,omitempty"`
		Calendar    *rcsCalendar `json:"calendarAction,omitempty"`
		Clipboard   *rcsClip     `json:"clipboardAction,omitempty"`
		DisplayText string       `json:"displayText"`
		Postback    *rcsPostback `json:"postback,omitempty"`
	}
	rcsURL struct {
		Open struct {
			URL string `json:"url"`
		} `json:"openUrl"`
	}
	rcsDialer struct {
		Dial struct {
			PhoneNumber string `json:"phoneNumber"`
		} `json:"dialPhoneNumber"`
	}
	rcsMap struct {
		Show  *rcsShow  `json:"showLocation,omitempty"`
		Share *struct{} `json:"requestLocationPush,omitempty"`
	}
	rcsShow struct {
		Location struct {
			Latitude  float64 `json:"latitude"`
			Longitude float64 `json:"longitude"`
			Label     string  `json:"label,omitempty"`
		} `json:"location"`
		FallbackURL string `json:"fallbackUrl,omitempty"`
	}
	rcsCompose struct {
		Text *RCSCompose `json:"composeTextMessage,omitempty"`
	}
	rcsCalendar struct {
		Event *RCSEvent `json:"createCalendarEvent,omitempty"`
	}
	rcsClip struct {
		Copy struct {
			Text string `json:"text"`
		} `json:"copyToClipboard"`
	}
	rcsPostback struct {
		Data string `json:"data"`
	}
)

// MarshalJSON returns the vendor's form: {} for a card without buttons.
func (r RCSCard) MarshalJSON() ([]byte, error) { return appendValue(nil, rcsCard{r}) }

// UnmarshalJSON reads the vendor's form.
func (r *RCSCard) UnmarshalJSON(b []byte) error {
	var card rcsCard
	if err := json.Unmarshal(b, &card); err != nil {
		return err
	}
	*r = card.Suggestions
	return nil
}

// MarshalJSON returns the vendor's form, a suggestion.
func (b RCSButton) MarshalJSON() ([]byte, error) {
	a := rcsAction{DisplayText: b.Text}
	if b.Postback != "" {
		a.Postback = &rcsPostback{b.Postback}
	}
	if b.OpenURL != "" {
		a.URL = new(rcsURL)
		a.URL.Open.URL = b.OpenURL
	}
	if b.Dial != "" {
		a.Dialer = new(rcsDialer)
		a.Dialer.Dial.PhoneNumber = b.Dial
	}
	if b.ShowLocation != nil || b.ShareLocation {
		a.Map = new(rcsMap)
	}
	if l := b.ShowLocation; l != nil {
		a.Map.Show = &rcsShow{FallbackURL: l.FallbackURL}
		at := &a.Map.Show.Location
		at.Latitude, at.Longitude, at.Label = l.Latitude, l.Longitude, l.Label
	}
	if b.ShareLocation {
		a.Map.Share = new(struct{})
	}
	if b.Compose != nil {
		a.Compose = &rcsCompose{b.Compose}
	}
	if b.Calendar != nil {
		a.Calendar = &rcsCalendar{b.Calendar}
	}
	if b.Copy != "" {
		a.Clipboard = new(rcsClip)
		a.Clipboard.Copy.Text = b.Copy
	}
	return appendValue(nil, rcsSuggestion{a})
}

// UnmarshalJSON reads the vendor's form.
func (b *RCSButton) UnmarshalJSON(data []byte) error {
	var s rcsSuggestion
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	a := s.Action
	*b = RCSButton{Text: a.DisplayText}
	if a.Postback != nil {
		b.Postback = a.Postback.Data
	}
	if a.URL != nil {
		b.OpenURL = a.URL.Open.URL
	}
	if a.Dialer != nil {
		b.Dial = a.Dialer.Dial.PhoneNumber
	}
	if a.Map != nil {
		b.ShareLocation = a.Map.Share != nil
		if show := a.Map.Show; show != nil {
			at := show.Location
			b.ShowLocation = &RCSLocation{at.Latitude, at.Longitude, at.Label, show.FallbackURL}
		}
	}
	if a.Compose != nil {
		b.Compose = a.Compose.Text
	}
	if a.Calendar != nil {
		b.Calendar = a.Calendar.Event
	}
	if a.Clipboard != nil {
		b.Copy = a.Clipboard.Copy.Text
	}
	return nil
}

// moment requires a point in time as RFC 3339 writes it, with or without
// parts of a second.
func (c *checker) moment(name, value string) {
	if !c.required(name, value) {
		return
	}
	if _, err := time.Parse(time.RFC3339, value); err != nil {
		c.add(name, "must be a time such as 2017-03-16T17:40:00.214+09:00")
	}
}
