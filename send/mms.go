package send

import (
	"encoding/json"
	"errors"
	"io"
	"time"
)

// MMS is a text message with pictures (포토 문자, type mms, spec 2.4). Its JSON
// is the vendor's, in which an Image has only its key.
type MMS struct {
	Subject string  // at most 64 bytes in EUC-KR
	Text    string  // at most 2,000 bytes in EUC-KR; may be empty
	Images  []Image // 1 to 3
}

// Image is a picture that was uploaded for an [MMS]. It may be used for any
// number of messages until it expires, one day after the upload or after the
// planned send (spec 1.4).
type Image struct {
	Key   string    // filekey of the vendor, at most 40 characters; opaque
	Until time.Time // usable until; zero: unknown; Validate refuses a message that is sent later
}

// Upload is a picture to be uploaded for MMS.
type Upload struct {
	Name string    // name of the file, such as "coupon.jpg", at most 255 bytes; empty: "image.jpg"
	JPEG io.Reader // at most 300 KB (spec 1.4); read once, never closed
	At   time.Time // planned send, at most 30 days ahead; zero or past: now
}

// Type returns "mms".
func (MMS) Type() string { return "mms" }

func (m MMS) check(c *checker) {
	c.bytes("Subject", m.Subject, 64, 64)
	c.bytes("Text", m.Text, 2000, 2000)
	c.count("Images", len(m.Images), 1, 3)
	for i, image := range m.Images {
		in := c.item("Images", i)
		in.requiredChars("Key", image.Key, 40)
		if !image.Until.IsZero() && c.due().After(image.Until) {
			in.add("Until", "the picture has expired by the time of sending")
		}
	}
}

// mmsFile is an Image on the wire.
type mmsFile struct {
	Type string `json:"type"`
	Key  string `json:"key"`
}

type mmsWire struct {
	Subject string    `json:"subject,omitempty"`
	Text    string    `json:"message,omitempty"`
	File    []mmsFile `json:"file,omitempty"`
}

// MarshalJSON returns the vendor's form.
func (m MMS) MarshalJSON() ([]byte, error) { return m.appendJSON(nil) }

// UnmarshalJSON reads the vendor's form.
func (m *MMS) UnmarshalJSON(b []byte) error {
	var wire mmsWire
	if err := json.Unmarshal(b, &wire); err != nil {
		return err
	}
	*m = MMS{Subject: wire.Subject, Text: wire.Text}
	for _, f := range wire.File {
		if f.Type != "IMG" {
			return errors.New("send: a file of an MMS that is no image")
		}
		m.Images = append(m.Images, Image{Key: f.Key})
	}
	return nil
}

func (m MMS) appendJSON(b []byte) ([]byte, error) {
	wire := mmsWire{Subject: m.Subject, Text: m.Text}
	for _, image := range m.Images {
		wire.File = append(wire.File, mmsFile{Type: "IMG", Key: image.Key})
	}
	return appendValue(b, wire)
}
