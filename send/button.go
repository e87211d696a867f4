package send

// ButtonType says what a [Button] does (spec 2.5).
type ButtonType string

// The types of buttons and quick replies.
const (
	WebLink         ButtonType = "WL" // opens a web page: URLMobile required
	AppLink         ButtonType = "AL" // opens an app: two of SchemeIOS, SchemeAndroid and URLMobile required
	DeliveryTrack   ButtonType = "DS" // tracks a parcel named in the text
	BotKeyword      ButtonType = "BK" // sends the name of the button to the bot
	MessageDelivery ButtonType = "MD" // sends the name of the button and the text to the channel
	ChatTransfer    ButtonType = "BC" // goes on to a consultant: ChatExtra
	BotTransfer     ButtonType = "BT" // goes on to a bot: ChatExtra, ChatEvent
	ChannelAdd      ButtonType = "AC" // adds the channel; its name is fixed: 채널 추가
	SecureImage     ButtonType = "P1" // secure image plugin: PluginID, RelayID
	PersonalData    ButtonType = "P2" // personal data plugin: PluginID, RelayID
	OneClickPayment ButtonType = "P3" // payment plugin: OneclickID or ProductID required
	BizForm         ButtonType = "BF" // Kakao business form: BizFormID required, in brand messages BizFormKey
	PhoneCall       ButtonType = "TN" // calls TelNumber, which is required; mobile only
	Map             ButtonType = "MP" // shows MapAddress or MapCoordinates, one of which is required
)

// Button is a button or a quick reply of a Kakao message. Which fields count
// depends on the Type; those that are not set are not sent.
type Button struct {
	Name           string     `json:"name"` // required, at most 28 characters
	Type           ButtonType `json:"type"` // required
	URLMobile      string     `json:"url_mobile,omitempty"`
	URLPC          string     `json:"url_pc,omitempty"`
	SchemeAndroid  string     `json:"scheme_android,omitempty"`
	SchemeIOS      string     `json:"scheme_ios,omitempty"`
	ChatExtra      string     `json:"chat_extra,omitempty"` // at most 50 characters
	ChatEvent      string     `json:"chat_event,omitempty"` // at most 50 characters
	PluginID       string     `json:"plugin_id,omitempty"`  // at most 24 characters
	RelayID        string     `json:"relay_id,omitempty"`
	OneclickID     string     `json:"oneclick_id,omitempty"`
	ProductID      string     `json:"product_id,omitempty"`
	BizFormID      int64      `json:"biz_form_id,omitempty"`  // of an alimtalk or friendtalk
	BizFormKey     int64      `json:"biz_form_key,omitempty"` // of a brand message (spec 2.7)
	TelNumber      string     `json:"tel_number,omitempty"`   // with hyphens, at most 14 characters
	MapAddress     string     `json:"map_address,omitempty"`  // wins over MapCoordinates
	MapCoordinates string     `json:"map_coordinates,omitempty"`
}

// channelAddName is the only name that the vendor takes for an AC button.
const channelAddName = "채널 추가"

// check reports the problems of a button by the rules of spec 2.5. Of the
// limits that the vendor contradicts itself on, the wider one counts: a name
// has 28 characters, not bytes (A16), and a quick reply may have any type
// (A17).
func (b Button) check(c *checker) {
	c.requiredChars("Name", b.Name, 28)
	c.utf8("URLMobile", b.URLMobile)
	c.utf8("URLPC", b.URLPC)
	c.utf8("SchemeAndroid", b.SchemeAndroid)
	c.utf8("SchemeIOS", b.SchemeIOS)
	c.chars("ChatExtra", b.ChatExtra, 50)
	c.chars("ChatEvent", b.ChatEvent, 50)
	c.chars("PluginID", b.PluginID, 24)
	c.utf8("RelayID", b.RelayID)
	c.utf8("OneclickID", b.OneclickID)
	c.utf8("ProductID", b.ProductID)
	c.chars("TelNumber", b.TelNumber, 14)
	c.utf8("MapAddress", b.MapAddress)
	c.utf8("MapCoordinates", b.MapCoordinates)
	if b.BizFormID < 0 {
		c.add("BizFormID", "negative")
	}
	if b.BizFormKey < 0 {
		c.add("BizFormKey", "negative")
	}
	b.checkType(c)
}

func (b Button) checkType(c *checker) {
	switch b.Type {
	case "":
		c.add("Type", "required")
	case WebLink:
		c.required("URLMobile", b.URLMobile)
	case AppLink:
		if set(b.SchemeIOS, b.SchemeAndroid, b.URLMobile) < 2 {
			c.add("Type", "AL needs two of SchemeIOS, SchemeAndroid and URLMobile")
		}
	case ChannelAdd:
		if b.Name != channelAddName {
			c.add("Name", "of an AC button must be "+channelAddName)
		}
	case OneClickPayment:
		if set(b.OneclickID, b.ProductID) == 0 {
			c.add("Type", "P3 needs OneclickID or ProductID")
		}
	case PhoneCall:
		c.required("TelNumber", b.TelNumber)
	case Map:
		if set(b.MapAddress, b.MapCoordinates) == 0 {
			c.add("Type", "MP needs MapAddress or MapCoordinates")
		}
	case DeliveryTrack, BotKeyword, MessageDelivery, ChatTransfer, BotTransfer, SecureImage, PersonalData:
	case BizForm: // which form it names depends on the message
	default:
		c.add("Type", "unknown type of button")
	}
}

// set counts the values that are not empty.
func set(values ...string) (n int) {
	for _, v := range values {
		if v != "" {
			n++
		}
	}
	return n
}

// Link is the page or app that opens when a message is tapped (spec 2.5).
type Link struct {
	URLMobile     string `json:"url_mobile,omitempty"`
	URLPC         string `json:"url_pc,omitempty"`
	SchemeAndroid string `json:"scheme_android,omitempty"`
	SchemeIOS     string `json:"scheme_ios,omitempty"`
}

func (l Link) check(c *checker) {
	c.utf8("URLMobile", l.URLMobile)
	c.utf8("URLPC", l.URLPC)
	c.utf8("SchemeAndroid", l.SchemeAndroid)
	c.utf8("SchemeIOS", l.SchemeIOS)
}
