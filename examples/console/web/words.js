// All words of the page, in both languages. A key with {0} takes values.

export const words = {
  ko: {
    title: '비즈뿌리오 콘솔', language: '언어', skip: '메시지 목록으로',
    simulated: '시뮬레이션 · 실제로 나가는 것은 없습니다', real: '실제 발송 · 요금이 나갑니다',
    link_live: '실시간', link_lost: '다시 연결하는 중', link_wait: '연결하는 중',
    restarted: '프로그램이 다시 시작되어 이전 기록이 없습니다. 화면을 새 상태로 맞췄습니다.',
    caught_up: '놓친 이벤트가 있어 전체 상태를 다시 불러왔습니다.',

    send: '메시지 보내기', kind: '종류', scenario: '시나리오', to: '받는 번호', text: '내용',
    count: '건수', go: '보내기',
    sample: '주문이 접수되었습니다. 주문번호 2026-0001',
    bytes: '{0} / {1} 바이트', chars: '{0} / {1}자',
    expected: '예상: {0}', expected_with: '예상: {0} → {1}', own_number: '직접 입력한 번호',
    group_reports: '리포트', group_connections: '연결', group_codes: '결과 코드', group_statuses: 'HTTP 상태',
    kind_alimtalk_lms: '알림톡 → LMS 대체발송', kind_alimtalk: '알림톡', kind_brand_lms: '브랜드 메시지 → LMS 대체발송',
    kind_rcs_alimtalk_lms: 'RCS → 알림톡 → LMS', kind_sms: 'SMS', kind_lms: 'LMS',
    problem_busy: '보내는 중인 메시지가 너무 많습니다. 잠시 뒤에 다시 보내세요.',
    problem_order: '입력을 확인하세요. 보내지 않았습니다.',
    problem_to: '받는 번호를 입력하세요.',
    problem_session: '페이지를 새로 고치세요. 보내지 않았습니다.',
    problem_origin: '다른 사이트에서 온 요청이라 거절했습니다.',
    problem_offline: '프로그램에 연결되지 않았습니다. 보냈는지 목록에서 확인하세요.',

    filter: '결과로 거르기', all: '전체', all_hint: '최근 것부터', all_pending: '{0}건 보내는 중',
    pending: '보내는 중', accepted: '접수', rejected: '거절', not_sent: '미발송', unknown: '알 수 없음',
    accepted_again: '다시 보내지 않음', rejected_again: '고친 뒤에만', not_sent_again: '다시 보내도 됨', unknown_again: '리포트를 기다림',
    accepted_advice: '비즈뿌리오가 접수했습니다. 도달했는지는 리포트가 알려 줍니다.',
    rejected_advice: '그대로 다시 보내면 또 거절됩니다. 메시지나 계정을 먼저 고치세요.',
    not_sent_advice: '접수되지 않았음이 증명되었습니다. 다시 보내도 됩니다.',
    unknown_advice: '접수되었을 수 있습니다. 다시 보내면 두 번 갈 수 있으니 리포트를 기다리세요.',
    pending_advice: '아직 결과가 없습니다.',
    settled_delivered: '리포트로 확정: 도달했습니다. 다시 보내지 마세요.',
    settled_failed: '리포트로 확정: 모든 채널에서 실패했습니다.',
    settled: '리포트로 확정',

    delivery: '리포트', delivered: '도달', failed: '실패', uncertain: '불확실', waiting: '기다리는 중', none: '올 것 없음',
    latency: '보내는 데 걸린 시간', latency_figures: '중앙값 {0} · 95% {1} · 최대 {2}',
    latency_empty: '아직 보낸 메시지가 없습니다', latency_label: '최근 {0}건: {1}',
    ms: '{0} ms', s: '{0}초',

    messages: '메시지', shown: '{0}건', shown_of: '{1}건 중 {0}건',
    empty: '아직 보낸 메시지가 없습니다. 번호를 고르고 보내 보세요.', empty_filter: '이 결과의 메시지가 없습니다.',
    attempts: '시도', code: '결과 코드', error: 'SDK 오류', refkey: 'RefKey', channels: '채널',
    after: '{0} 뒤', fallback_result: '대체발송 결과 {0}',
    news: '{0} {1}', news_report: '{0} 리포트: {1}', news_many: '소식 {0}건',

    events: '이벤트', lost: '빠짐', doubled: '중복', reconnects: '다시 연결',
    privacy: '이 화면에는 RefKey와 가린 번호만 옵니다. 번호와 내용은 브라우저로 되돌아오지 않습니다.',

    reason_invalid: '보내기 전 검증에서 거절', reason_refused: '비즈뿌리오가 거절', reason_closed: '클라이언트가 닫힘',
    reason_canceled: '호출한 쪽이 취소', reason_outside_window: '광고 시간 밖', reason_rate_limited: '요청 한도 초과',
    reason_circuit_open: '회로 차단기 열림', reason_pool_timeout: '빈 연결 없음', reason_unreachable: '연결할 수 없음',
    reason_token_unavailable: '토큰을 얻지 못함', reason_busy: '비즈뿌리오가 바쁨', reason_timeout: '시간 초과',
    reason_connection_lost: '연결이 끊김', reason_bad_response: '읽을 수 없는 응답', reason_vendor_fault: '비즈뿌리오 오류',
    reason_interrupted: '중간에 중단됨',
  },
  en: {
    title: 'Bizppurio console', language: 'Language', skip: 'To the messages',
    simulated: 'Simulation · nothing leaves this machine', real: 'Real vendor · messages cost money',
    link_live: 'Live', link_lost: 'Reconnecting', link_wait: 'Connecting',
    restarted: 'The program was restarted and has no earlier messages. The page shows the new state.',
    caught_up: 'Events were missed, so the whole state was loaded again.',

    send: 'Send a message', kind: 'Kind', scenario: 'Scenario', to: 'Recipient', text: 'Text',
    count: 'How many', go: 'Send',
    sample: 'Your order is in. Order number 2026-0001',
    bytes: '{0} / {1} bytes', chars: '{0} / {1} characters',
    expected: 'Expect: {0}', expected_with: 'Expect: {0} → {1}', own_number: 'a number of your own',
    group_reports: 'Reports', group_connections: 'Connections', group_codes: 'Result codes', group_statuses: 'HTTP statuses',
    kind_alimtalk_lms: 'Alimtalk → LMS fallback', kind_alimtalk: 'Alimtalk', kind_brand_lms: 'Brand message → LMS fallback',
    kind_rcs_alimtalk_lms: 'RCS → alimtalk → LMS', kind_sms: 'SMS', kind_lms: 'LMS',
    problem_busy: 'Too many messages are on their way. Try again in a moment.',
    problem_order: 'Please check the form. Nothing was sent.',
    problem_to: 'Please enter a recipient.',
    problem_session: 'Please reload the page. Nothing was sent.',
    problem_origin: 'Refused, because the request came from another site.',
    problem_offline: 'The program cannot be reached. Look at the list whether it was sent.',

    filter: 'Filter by outcome', all: 'All', all_hint: 'newest first', all_pending: '{0} on their way',
    pending: 'Sending', accepted: 'Accepted', rejected: 'Rejected', not_sent: 'Not sent', unknown: 'Unknown',
    accepted_again: 'do not send again', rejected_again: 'only when mended', not_sent_again: 'may be sent again', unknown_again: 'wait for the report',
    accepted_advice: 'Bizppurio took it. Whether it arrived, a report tells.',
    rejected_advice: 'Sent again unchanged it is refused again. Mend the message or the account first.',
    not_sent_advice: 'It is proven that it was not accepted. It may be sent again.',
    unknown_advice: 'It may have been accepted. Sent again it could arrive twice: wait for the report.',
    pending_advice: 'There is no outcome yet.',
    settled_delivered: 'Settled by a report: it arrived. Do not send it again.',
    settled_failed: 'Settled by a report: it failed on every channel.',
    settled: 'settled by a report',

    delivery: 'Reports', delivered: 'Delivered', failed: 'Failed', uncertain: 'Uncertain', waiting: 'Waiting', none: 'None to come',
    latency: 'Time to send', latency_figures: 'median {0} · p95 {1} · max {2}',
    latency_empty: 'Nothing sent yet', latency_label: 'The last {0}: {1}',
    ms: '{0} ms', s: '{0} s',

    messages: 'Messages', shown: '{0}', shown_of: '{0} of {1}',
    empty: 'Nothing sent yet. Choose a number and send.', empty_filter: 'No message with this outcome.',
    attempts: 'Attempts', code: 'Code', error: 'Error of the SDK', refkey: 'RefKey', channels: 'Channels',
    after: 'after {0}', fallback_result: 'fallback result {0}',
    news: '{0} {1}', news_report: 'Report for {0}: {1}', news_many: '{0} updates',

    events: 'Events', lost: 'lost', doubled: 'doubled', reconnects: 'reconnects',
    privacy: 'This page gets the RefKey and a masked number, nothing else. Numbers and texts never come back to a browser.',

    reason_invalid: 'refused by validation', reason_refused: 'refused by Bizppurio', reason_closed: 'client closed',
    reason_canceled: 'cancelled by the caller', reason_outside_window: 'outside the ad window', reason_rate_limited: 'rate limited',
    reason_circuit_open: 'circuit breaker open', reason_pool_timeout: 'no free connection', reason_unreachable: 'unreachable',
    reason_token_unavailable: 'no token', reason_busy: 'Bizppurio is busy', reason_timeout: 'timed out',
    reason_connection_lost: 'connection lost', reason_bad_response: 'unreadable answer', reason_vendor_fault: 'fault at Bizppurio',
    reason_interrupted: 'interrupted',
  },
}

const store = 'language'
let language = initial()

// initial is what the person chose before, else what the browser prefers.
function initial() {
  try {
    const chosen = localStorage.getItem(store)
    if (chosen in words) return chosen
  } catch { /* no storage: the browser decides each time */ }
  return navigator.language.toLowerCase().startsWith('ko') ? 'ko' : 'en'
}

export const current = () => language

export function choose(next) {
  language = next
  try { localStorage.setItem(store, next) } catch { /* for this page only then */ }
}

export function t(key, ...values) {
  return (words[language][key] ?? key).replace(/\{(\d)\}/g, (_, n) => values[n])
}

// translate gives the fixed parts of the page their words.
export function translate(root = document) {
  document.documentElement.lang = language
  document.title = t('title')
  for (const el of root.querySelectorAll('[data-t]')) el.textContent = t(el.dataset.t)
  for (const el of root.querySelectorAll('[data-label]')) el.setAttribute('aria-label', t(el.dataset.label))
  for (const el of root.querySelectorAll('[data-language]')) {
    el.setAttribute('aria-pressed', String(el.dataset.language === language))
  }
}

// span writes milliseconds as a person would.
export function span(ms) {
  if (ms >= 9950) return t('s', Math.round(ms / 1000))
  if (ms >= 995) return t('s', (ms / 1000).toFixed(1))
  return t('ms', ms >= 9.95 ? Math.round(ms) : ms.toFixed(1))
}
