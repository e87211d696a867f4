// One message as a row that opens.

import { el } from './dom.js'
import { current, span, t } from './words.js'

const marks = {
  pending: '…', accepted: '✓', rejected: '✕', not_sent: '↩', unknown: '?',
  delivered: '✓', failed: '✕', uncertain: '?', waiting: '', none: '–',
}

// item makes the row of the list; open says whether its details show.
export function item(row, open) {
  const outcome = row.outcome ?? 'pending'
  const settled = outcome === 'unknown' && (row.delivery === 'delivered' || row.delivery === 'failed')
  const what = el('span', { className: 'what' },
    el('b', { className: 'number' }, row.to), el('span', { className: 'sort' }, t(`kind_${row.kind}`)))
  const summary = el('summary', {},
    el('time', { className: 'when', dateTime: new Date(row.sent).toISOString() }, clock(row.sent)),
    what,
    badge('outcome', outcome, settled ? t('settled') : row.reason ? `${t(`reason_${row.reason}`)}${row.code ? ` · ${row.code}` : ''}` : ''),
    badge('delivery', row.delivery, media(row)),
    el('span', { className: 'took' }, row.outcome ? span(row.took) : ''),
  )
  const details = el('details', { open }, summary, more(row, outcome, settled))
  return el('li', { className: 'row', data: { id: row.id, outcome, delivery: row.delivery, reports: row.reports?.length ?? 0 } }, details)
}

function badge(group, word, hint) {
  return el('span', { className: `badge ${group} ${word}` },
    el('i', { ariaHidden: 'true' }, marks[word]),
    el('span', {}, el('b', {}, t(word)), hint ? el('small', {}, hint) : null))
}

// media says which channels were reported.
function media(row) {
  return (row.reports ?? []).map((report) => report.medium).filter(Boolean).join(' · ')
}

function more(row, outcome, settled) {
  const advice = settled ? t(`settled_${row.delivery}`) : t(`${outcome}_advice`)
  const facts = el('dl', {})
  const fact = (word, value, className = '') => {
    if (value) facts.append(el('div', {}, el('dt', {}, t(word)), el('dd', { className }, value)))
  }
  fact('refkey', row.id, 'mono')
  fact('channels', row.channels.join(' → '))
  fact('attempts', row.outcome ? String(row.attempts) : '')
  fact('code', row.code ? `${row.code} ${row.codeText ?? ''}` : '')
  fact('error', row.error, 'mono')
  return el('div', { className: 'more' }, el('p', { className: `advice ${outcome}` }, advice), facts, reports(row))
}

function reports(row) {
  if (!row.reports) return null
  const list = el('ol', { className: 'reports' })
  for (const report of row.reports) {
    list.append(el('li', {},
      el('i', { className: `told ${report.status}`, ariaHidden: 'true' }),
      el('b', {}, t(report.status)),
      el('span', {}, [report.medium, report.code || '', report.text, report.fallback ? t('fallback_result', report.fallback) : '']
        .filter(Boolean).join(' · ')),
      el('span', { className: 'after' }, t('after', span(Math.max(0, report.after)))),
    ))
  }
  return list
}

function clock(ms) {
  return new Intl.DateTimeFormat(current(), { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }).format(ms)
}
