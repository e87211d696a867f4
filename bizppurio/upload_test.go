package bizppurio_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

func TestUploadImage(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s)
	before := time.Now()
	image, err := c.UploadImage(t.Context(), send.Upload{Name: "사진.JPG", JPEG: bytes.NewReader(jpeg())})
	if err != nil {
		t.Fatalf("UploadImage = %v, want nil", err)
	}
	if image.Key == "" || image.Until.Before(before.Add(24*time.Hour)) || image.Until.After(time.Now().Add(24*time.Hour)) {
		t.Errorf("UploadImage = %+v, want a key that is good for a day", image)
	}
	at := time.Now().Add(48 * time.Hour)
	image, err = c.UploadImage(t.Context(), send.Upload{JPEG: bytes.NewReader(jpeg()), At: at})
	if err != nil || !image.Until.Equal(at.Add(24*time.Hour)) {
		t.Errorf("UploadImage for a reservation = %v, %v, want a key until a day after it", image.Until, err)
	}
	m := send.Message{To: "01012345678", RefKey: "mms", Content: send.MMS{Images: []send.Image{image}}}
	if _, err := c.Send(t.Context(), m); err != nil {
		t.Errorf("Send of the image = %v, want nil", err)
	}
	// At the limit, and one byte above it.
	exact := append(jpeg(), make([]byte, 300<<10-len(jpeg()))...)
	if _, err := c.UploadImage(t.Context(), send.Upload{JPEG: bytes.NewReader(exact)}); err != nil {
		t.Errorf("UploadImage of 300 KB = %v, want nil", err)
	}
	if got := s.Conns(); got != 1 {
		t.Errorf("connections = %d, want 1", got)
	}
}

func TestUploadImage_invalid(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	c := newClient(t, s)
	broken := errors.New("disk-canary")
	endless := io.MultiReader(bytes.NewReader(jpeg()), readerFunc(func(p []byte) (int, error) { return len(p), nil }))
	tests := []struct {
		name   string
		upload send.Upload
		field  string
	}{
		{"nothing", send.Upload{}, "JPEG"},
		{"empty", send.Upload{JPEG: strings.NewReader("")}, "JPEG"},
		{"a PNG", send.Upload{JPEG: strings.NewReader("\x89PNG\r\n")}, "JPEG"},
		{"one byte too large", send.Upload{JPEG: bytes.NewReader(append(jpeg(), make([]byte, 300<<10+1-len(jpeg()))...))}, "JPEG"},
		{"endless", send.Upload{JPEG: endless}, "JPEG"},
		{"broken", send.Upload{JPEG: readerFunc(func([]byte) (int, error) { return 0, broken })}, "JPEG"},
		{"other ending", send.Upload{Name: "a.png", JPEG: bytes.NewReader(jpeg())}, "Name"},
		{"header in the name", send.Upload{Name: "a\r\nX: y.jpg", JPEG: bytes.NewReader(jpeg())}, "Name"},
		{"too far ahead", send.Upload{JPEG: bytes.NewReader(jpeg()), At: time.Now().Add(30*24*time.Hour + time.Hour)}, "At"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := c.UploadImage(t.Context(), tt.upload)
			wantError(t, tt.name, err, send.Rejected, send.Invalid)
			var field *send.FieldError
			if !errors.As(err, &field) || field.Field != tt.field {
				t.Errorf("UploadImage = %v, want a FieldError of %s", err, tt.field)
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("UploadImage shows the reader's error: %v", err)
			}
			if tt.name == "broken" && !errors.Is(err, broken) {
				t.Error("the reader's error cannot be found")
			}
		})
	}
	if got := s.Conns(); got != 0 {
		t.Errorf("connections = %d, want 0", got)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestUploadImage_slow: a key is good for a day from when the upload began,
// not from when its answer came.
func TestUploadImage_slow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := stubbed(t, bizppurio.Config{}, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/v1/token" {
				return respond(r, 200, `{"accesstoken":"t"}`), nil
			}
			time.Sleep(10 * time.Second) //nolint:forbidigo // virtual
			return respond(r, 200, `{"filekey":"k"}`), nil
		})
		begun := time.Now()
		image, err := c.UploadImage(t.Context(), send.Upload{JPEG: bytes.NewReader(jpeg())})
		if err != nil || image.Until.After(begun.Add(24*time.Hour)) {
			t.Errorf("UploadImage = %+v, %v, want a key until %v", image, err, begun.Add(24*time.Hour))
		}
	})
}
