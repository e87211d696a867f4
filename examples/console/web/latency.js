// The latency picture: one bar for each of the last sends, its height the time
// on a logarithmic scale, its colour the outcome, its dot the report.

import { svg } from './dom.js'
import { span, t } from './words.js'

const most = 60 // bars
const height = 148
const left = 52
const foot = 18

export function figures(rows) {
  const took = rows.filter((row) => row.outcome).map((row) => row.took).sort((a, b) => a - b)
  if (took.length === 0) return ''
  const at = (share) => took[Math.min(took.length - 1, Math.ceil(share * took.length) - 1)]
  return t('latency_figures', span(at(0.5)), span(at(0.95)), span(took.at(-1)))
}

export function draw(picture, rows) {
  const width = Math.max(picture.clientWidth, 240)
  const room = Math.min(most, Math.floor((width - left) / 8))
  const done = rows.filter((row) => row.outcome).slice(0, room)
  picture.setAttribute('viewBox', `0 0 ${width} ${height}`)
  picture.replaceChildren(hatch())
  picture.setAttribute('aria-label', done.length ? t('latency_label', done.length, figures(done)) : t('latency_empty'))

  const decades = Math.max(2, Math.ceil(Math.log10(Math.max(1, ...done.map((row) => row.took)))))
  const base = height - foot
  const y = (ms) => base - (base - 10) * Math.min(1, Math.max(0, Math.log10(Math.max(ms, 1)) / decades))
  for (let d = 0; d <= decades; d++) {
    const line = y(10 ** d)
    picture.append(
      svg('line', { class: 'grid', x1: left, x2: width, y1: line, y2: line }),
      svg('text', { class: 'scale', x: left - 8, y: line + 3.5 }, span10(d)),
    )
  }

  const step = (width - left) / Math.min(room, Math.max(24, done.length))
  const bar = Math.min(step * 0.66, 14)
  done.forEach((row, i) => { // the newest at the right
    const x = width - (i + 0.5) * step
    const top = Math.min(y(row.took), base - 3)
    const title = svg('title', {}, `${row.to} · ${t(row.outcome)} · ${span(row.took)}`)
    picture.append(
      svg('rect', {
        class: `took ${row.outcome}`, x: x - bar / 2, y: top, width: bar, height: base - top, rx: Math.min(2.5, bar / 3),
      }, title),
      svg('circle', { class: `told ${row.delivery}`, cx: x, cy: height - 7, r: Math.min(3.2, bar / 2) }),
    )
  })
}

const span10 = (decade) => (decade < 3 ? t('ms', 10 ** decade) : t('s', 10 ** (decade - 3)))

// hatch fills the bars of Unknown, so that colour is not all that tells.
function hatch() {
  const pattern = svg('pattern', {
    id: 'hatch', width: 4, height: 4, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)',
  }, svg('rect', { class: 'hatch-ground', width: 4, height: 4 }), svg('rect', { class: 'hatch-line', width: 2, height: 4 }))
  return svg('defs', {}, pattern)
}
