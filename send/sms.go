package send

// SMS is a short text message (단문 문자, type sms, spec 2.2): at most 90 bytes
// counted as EUC-KR, or 140 of the GSM alphabet abroad (spec 2.9).
type SMS struct {
	Text string `json:"message"` // required
}

// Type returns "sms".
func (SMS) Type() string { return "sms" }

func (s SMS) check(c *checker) {
	if c.required("Text", s.Text) {
		c.bytes("Text", s.Text, 90, 140)
	}
}

func (s SMS) appendJSON(b []byte) ([]byte, error) { //nolint:unparam // as Content has it
	b = appendString(append(b, `{"message":`...), s.Text)
	return append(b, '}'), nil
}

// LMS is a long text message (장문 문자, type lms, spec 2.3): at most 2,000
// bytes counted as EUC-KR, or 420 of the GSM alphabet abroad (spec 2.9).
type LMS struct {
	Subject string `json:"subject,omitempty"` // at most 64 bytes
	Text    string `json:"message"`           // required
}

// Type returns "lms".
func (LMS) Type() string { return "lms" }

func (l LMS) check(c *checker) {
	c.bytes("Subject", l.Subject, 64, 64)
	if c.required("Text", l.Text) {
		c.bytes("Text", l.Text, 2000, 420)
	}
}

func (l LMS) appendJSON(b []byte) ([]byte, error) { //nolint:unparam // as Content has it
	b = append(b, '{')
	if l.Subject != "" {
		b = append(appendString(append(b, `"subject":`...), l.Subject), ',')
	}
	b = appendString(append(b, `"message":`...), l.Text)
	return append(b, '}'), nil
}
