package bizppurio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/textproto"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-bizppurio/sdk/send"
)

const (
	maxImage    = 300 << 10           // bytes of an MMS image (spec 1.4)
	imageLife   = 24 * time.Hour      // of a file key after the planned send (spec 1.4)
	longestPlan = 30 * 24 * time.Hour // ahead, for sendtime (spec 1.4)
	maxFileName = 255                 // bytes; the vendor names no limit, file systems have this one
)

// UploadImage uploads a JPEG of at most 300 KB for MMS (spec 1.4) and returns
// the key under which messages name it. The image is read once, before
// anything is sent, on a goroutine of its own: when ctx ends or the Client
// closes, UploadImage returns at once, and a Read of the image that blocks may
// still be under way then, though none begins any more. Its error is a
// [*send.Error]; after Unknown the file may be at the vendor under a key that
// was lost, which harms nobody, so it may be uploaded again.
func (c *Client) UploadImage(ctx context.Context, u send.Upload) (send.Image, error) {
	from := time.Now() // the vendor's own instant is later
	l, ok := c.begin(ctx, opFile, "")
	defer l.end()
	if ok {
		l.upload(u)
	}
	if l.verdict.outcome != send.Accepted {
		return send.Image{}, l.error()
	}
	if u.At.After(from) {
		from = u.At
	}
	return send.Image{Key: l.verdict.answer.FileKey, Until: from.Add(imageLife)}, nil
}

func (c *call) upload(u send.Upload) {
	if u.Name == "" {
		u.Name = "image.jpg"
	}
	err := checkUpload(u)
	if err != nil {
		c.verdict = invalid(err)
		return
	}
	image, err := c.picture(u.JPEG)
	switch {
	case c.Err() != nil: // a reader may have failed because of it
		c.verdict = c.abandoned(send.Canceled, err)
		return
	case err != nil:
		err = hush("JPEG: cannot be read", imageProblem("cannot be read"), err)
	case len(image) > maxImage:
		err = imageProblem("larger than 300 KB")
	case !bytes.HasPrefix(image, []byte{0xff, 0xd8, 0xff}):
		err = imageProblem("not a JPEG image")
	}
	if err != nil {
		c.verdict = invalid(err)
		return
	}
	c.body, c.kind = form(u, image, c.client.cfg.Account)
	c.run()
}

func imageProblem(what string) error { return &send.FieldError{Field: "JPEG", Problem: what} }

// checkUpload reports what can be seen without reading the image.
func checkUpload(u send.Upload) error {
	lower := strings.ToLower(u.Name)
	switch {
	case !strings.HasSuffix(lower, ".jpg") && !strings.HasSuffix(lower, ".jpeg"):
		return &send.FieldError{Field: "Name", Problem: "must end in .jpg or .jpeg"}
	case len(u.Name) > maxFileName:
		return &send.FieldError{Field: "Name", Problem: "longer than 255 bytes"}
	case !utf8.ValidString(u.Name):
		return &send.FieldError{Field: "Name", Problem: "not UTF-8"}
	case strings.ContainsAny(u.Name, `"\/`) || strings.ContainsFunc(u.Name, unicode.IsControl):
		return &send.FieldError{Field: "Name", Problem: "has a quote, a slash or a control character"}
	case u.JPEG == nil:
		return imageProblem("required")
	case time.Until(u.At) > longestPlan:
		return &send.FieldError{Field: "At", Problem: "more than 30 days ahead"}
	}
	return nil
}

var errNoEnd = errors.New("the reader ended its goroutine")

// picture reads the image, one byte further than it may be long, on a
// goroutine that it leaves behind when the call ends first. A panic of the
// reader is raised again here.
func (c *call) picture(from io.Reader) ([]byte, error) {
	type result struct {
		image    []byte
		err      error
		panicked any
	}
	done := make(chan result, 1)
	go func() {
		r := result{err: errNoEnd} // stays so when the reader ends the goroutine
		defer func() {
			r.panicked = recover()
			done <- r
		}()
		r.image, r.err = io.ReadAll(io.LimitReader(whileAlive{c, from}, maxImage+1))
	}()
	select {
	case r := <-done:
		if r.panicked != nil {
			panic(r.panicked)
		}
		return r.image, r.err
	case <-c.Done():
		return nil, c.Err()
	}
}

// whileAlive begins no Read once the call has ended.
type whileAlive struct {
	call *call
	io.Reader
}

func (w whileAlive) Read(p []byte) (int, error) {
	if err := w.call.Err(); err != nil {
		return 0, err
	}
	return w.Reader.Read(p)
}

// form makes the multipart body.
func form(u send.Upload, image []byte, account string) (body []byte, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part := func(header textproto.MIMEHeader, content []byte) {
		p, _ := w.CreatePart(header) // a bytes.Buffer takes everything
		_, _ = p.Write(content)
	}
	text := func(name, value string) {
		part(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + name + `"`}}, []byte(value))
	}
	text("account", account)
	if u.At.Unix() >= 1e9 { // ten digits (spec 1.4); what has fewer is past, so now
		text("sendtime", strconv.FormatInt(u.At.Unix(), 10))
	}
	part(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="` + u.Name + `"`},
		"Content-Type":        {"image/jpeg"},
	}, image)
	_ = w.Close()
	return b.Bytes(), w.FormDataContentType()
}
