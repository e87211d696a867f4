package bizppurio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

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
		{"escape in the name", send.Upload{Name: "a\x1b.jpg", JPEG: bytes.NewReader(jpeg())}, "Name"},
		{"tab in the name", send.Upload{Name: "a\t.jpg", JPEG: bytes.NewReader(jpeg())}, "Name"},
		{"name that is no UTF-8", send.Upload{Name: "a\xff.jpg", JPEG: bytes.NewReader(jpeg())}, "Name"},
		{"name of 256 bytes", send.Upload{Name: strings.Repeat("a", 252) + ".jpg", JPEG: bytes.NewReader(jpeg())}, "Name"},
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

// TestUploadImage_form: the planned send is told in the ten digits of spec 1.4
// or, where it has fewer and is past anyway, not at all; as a Message does it.
func TestUploadImage_form(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		advance(2 * 365 * 24 * time.Hour) // ten digits begin in September 2001
		var got *multipart.Form
		c := stubbed(t, bizppurio.Config{}, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/v1/token" {
				return respond(r, 200, `{"accesstoken":"t"}`), nil
			}
			if err := r.ParseMultipartForm(1 << 20); err != nil {
				t.Error(err)
			}
			got = r.MultipartForm
			return respond(r, 200, `{"filekey":"k"}`), nil
		})
		longest := strings.Repeat("a", 251) + ".jpg"
		for _, tt := range []struct {
			at   time.Time
			want []string
		}{
			{time.Time{}, nil},
			{time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), nil},
			{time.Unix(5, 0), nil},
			{time.Unix(1e9-1, 0), nil},
			{time.Unix(1e9, 0), []string{"1000000000"}},
			{time.Now().Add(time.Hour), []string{strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10)}},
		} {
			image, err := c.UploadImage(t.Context(), send.Upload{Name: longest, JPEG: bytes.NewReader(jpeg()), At: tt.at})
			if err != nil || image.Until.Before(time.Now().Add(24*time.Hour)) {
				t.Fatalf("UploadImage at %v = %+v, %v, want a key for a day", tt.at, image, err)
			}
			if diff := cmp.Diff(tt.want, got.Value["sendtime"]); diff != "" {
				t.Errorf("sendtime of %v differs (-want +got):\n%s", tt.at, diff)
			}
			if name := got.File["file"][0].Filename; name != longest {
				t.Errorf("filename = %q, want %q", name, longest)
			}
		}
	})
}

// TestUploadImage_blocked: neither the end of ctx nor Close waits for a reader
// that blocks, and the reader is not read again afterwards.
func TestUploadImage_blocked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		end    func(*bizppurio.Client, context.CancelCauseFunc)
		reason send.Reason
		cause  error
	}{
		{"canceled", func(_ *bizppurio.Client, cancel context.CancelCauseFunc) { cancel(errUnsent) }, send.Canceled, context.Canceled},
		{"deadline", func(*bizppurio.Client, context.CancelCauseFunc) {
			advance(time.Minute)
		}, send.Canceled, context.DeadlineExceeded},
		{"closed", func(c *bizppurio.Client, _ context.CancelCauseFunc) { _ = c.Close() }, send.Closed, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := stubbed(t, bizppurio.Config{}, fine)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				ctx, abort := context.WithCancelCause(ctx)
				defer abort(nil)
				out, in := io.Pipe()
				reads := 0
				reader := readerFunc(func(p []byte) (int, error) {
					reads++
					return out.Read(p)
				})
				done := make(chan error, 1)
				go func() {
					_, err := c.UploadImage(ctx, send.Upload{JPEG: reader})
					done <- err
				}()
				synctest.Wait()
				tt.end(c, abort)
				synctest.Wait()
				select {
				case err := <-done:
					wantError(t, tt.name, err, send.NotSent, tt.reason)
					if tt.cause != nil && !errors.Is(err, tt.cause) {
						t.Errorf("UploadImage = %v, want %v in it", err, tt.cause)
					}
				default:
					t.Error("UploadImage waits for the reader")
				}
				_, _ = in.Write([]byte{0xff}) // the Read under way returns
				synctest.Wait()
				if reads != 1 {
					t.Errorf("reads = %d, want 1", reads)
				}
				_ = in.Close()
			})
		})
	}
}

// TestUploadImage_readerFails: a reader that fails because ctx ended has not
// made the image invalid; its panic is the caller's, as without a goroutine
// between them.
func TestUploadImage_readerFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := stubbed(t, bizppurio.Config{}, fine)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := c.UploadImage(ctx, send.Upload{JPEG: readerFunc(func([]byte) (int, error) {
			cancel()
			return 0, ctx.Err()
		})})
		wantError(t, "canceled", err, send.NotSent, send.Canceled)

		_, err = c.UploadImage(t.Context(), send.Upload{JPEG: readerFunc(func([]byte) (int, error) {
			runtime.Goexit()
			return 0, nil
		})})
		wantError(t, "goexit", err, send.Rejected, send.Invalid)

		defer func() {
			if got := recover(); got != "reader" {
				t.Errorf("panic = %v, want the reader's", got)
			}
			if err := c.Close(); err != nil { // the call has ended
				t.Errorf("Close = %v, want nil", err)
			}
		}()
		_, err = c.UploadImage(t.Context(), send.Upload{JPEG: readerFunc(func([]byte) (int, error) { panic("reader") })})
		t.Errorf("UploadImage = %v, want a panic", err)
	})
}

// TestUploadImage_slow: a key is good for a day from when the upload began,
// not from when its answer came.
func TestUploadImage_slow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := stubbed(t, bizppurio.Config{}, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/v1/token" {
				return respond(r, 200, `{"accesstoken":"t"}`), nil
			}
			advance(10 * time.Second)
			return respond(r, 200, `{"filekey":"k"}`), nil
		})
		begun := time.Now()
		image, err := c.UploadImage(t.Context(), send.Upload{JPEG: bytes.NewReader(jpeg())})
		if err != nil || image.Until.After(begun.Add(24*time.Hour)) {
			t.Errorf("UploadImage = %+v, %v, want a key until %v", image, err, begun.Add(24*time.Hour))
		}
	})
}
