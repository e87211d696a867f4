package bizppurio

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

const (
	maxImage    = 300 << 10           // bytes of an MMS image (spec 1.4)
	imageLife   = 24 * time.Hour      // of a file key after the planned send (spec 1.4)
	longestPlan = 30 * 24 * time.Hour // ahead, for sendtime (spec 1.4)
)

// UploadImage uploads a JPEG of at most 300 KB for MMS (spec 1.4) and returns
// the key under which messages name it. The image is read once, before
// anything is sent. Its error is a [*send.Error]; after Unknown the file may
// be at the vendor under a key that was lost, which harms nobody, so it may be
// uploaded again.
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
	body, kind, err := form(u, c.client.cfg.Account)
	if err != nil {
		c.verdict = invalid(err)
		return
	}
	c.body, c.kind = body, kind
	c.run()
}

// form reads the image and makes the multipart body.
func form(u send.Upload, account string) (body []byte, contentType string, err error) {
	name := u.Name
	if name == "" {
		name = "image.jpg"
	}
	problem := func(field, what string) ([]byte, string, error) {
		return nil, "", &send.FieldError{Field: field, Problem: what}
	}
	lower := strings.ToLower(name)
	switch {
	case !strings.HasSuffix(lower, ".jpg") && !strings.HasSuffix(lower, ".jpeg"):
		return problem("Name", "must end in .jpg or .jpeg")
	case strings.ContainsAny(name, "\"\\/\r\n\x00"):
		return problem("Name", "has a quote, a slash or a line break")
	case u.JPEG == nil:
		return problem("JPEG", "required")
	case time.Until(u.At) > longestPlan:
		return problem("At", "more than 30 days ahead")
	}
	image, err := io.ReadAll(io.LimitReader(u.JPEG, maxImage+1))
	switch {
	case err != nil:
		return nil, "", hush("JPEG: cannot be read", &send.FieldError{Field: "JPEG", Problem: "cannot be read"}, err)
	case len(image) > maxImage:
		return problem("JPEG", "larger than 300 KB")
	case !bytes.HasPrefix(image, []byte{0xff, 0xd8, 0xff}):
		return problem("JPEG", "not a JPEG image")
	}
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
	if !u.At.IsZero() {
		text("sendtime", strconv.FormatInt(u.At.Unix(), 10))
	}
	part(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="` + name + `"`},
		"Content-Type":        {"image/jpeg"},
	}, image)
	_ = w.Close()
	return b.Bytes(), w.FormDataContentType(), nil
}
