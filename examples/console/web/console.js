// Ties the page together: the stream fills the store, the store is drawn.

import { $, el } from './dom.js'
import * as form from './form.js'
import * as latency from './latency.js'
import { item } from './list.js'
import { Store } from './store.js'
import { listen } from './stream.js'
import { choose, t, translate } from './words.js'

const store = new Store()
const items = new Map() // li by id
let boot = ''
let filter = ''
let state = null
let linked = 'wait'
let notice = ''
let reconnects = 0
let drawing = false
let news = []

// draw brings everything but the rows up to date, once a frame.
function draw() {
  if (drawing) return
  drawing = true
  requestAnimationFrame(() => {
    drawing = false
    const counts = store.counts()
    tiles(counts)
    deliveries(counts)
    const rows = store.newestFirst()
    $('#latency-figures').textContent = latency.figures(rows)
    latency.draw($('#latency'), rows)
    shown(rows)
    $('#events').textContent = store.events
    $('#lost').textContent = store.lost
    $('#doubled').textContent = store.doubled
    $('#reconnects').textContent = reconnects
    tell()
  })
}

function tiles(counts) {
  for (const tile of document.querySelectorAll('.tile')) {
    const key = tile.dataset.filter
    tile.setAttribute('aria-pressed', String(key === filter))
    tile.querySelector('strong').textContent = counts[key || 'all'] ?? 0
    if (!key) tile.querySelector('small').textContent = counts.pending ? t('all_pending', counts.pending) : t('all_hint')
  }
}

function deliveries(counts) {
  const bar = $('#bar')
  bar.replaceChildren()
  for (const line of $('#deliveries').children) {
    const n = counts[`delivery_${line.dataset.delivery}`] ?? 0
    line.querySelector('strong').textContent = n
    if (n === 0) continue
    const part = el('span', { className: line.dataset.delivery })
    part.style.flexGrow = n
    bar.append(part)
  }
}

function shown(rows) {
  const n = rows.filter(matches).length
  $('#shown').textContent = filter ? t('shown_of', n, rows.length) : t('shown', rows.length)
  $('#empty').hidden = n > 0
  $('#empty').textContent = rows.length ? t('empty_filter') : t('empty')
}

const matches = (row) => !filter || row.outcome === filter

// place draws one row, at the top if it is new.
function place(row) {
  const old = items.get(row.id)
  const li = item(row, old?.querySelector('details').open ?? false)
  li.hidden = !matches(row)
  items.set(row.id, li)
  if (old) {
    const focused = old.contains(document.activeElement)
    old.replaceWith(li)
    if (focused) li.querySelector('summary').focus({ preventScroll: true })
  } else {
    li.classList.add('new')
    $('#messages').prepend(li)
  }
}

// redraw draws all rows anew.
function redraw() {
  const open = new Set([...items].filter(([, li]) => li.querySelector('details').open).map(([id]) => id))
  items.clear()
  for (const row of store.newestFirst()) {
    const li = item(row, open.has(row.id))
    li.hidden = !matches(row)
    items.set(row.id, li)
  }
  $('#messages').replaceChildren(...items.values())
  draw()
}

// tell says to screen readers what has happened since the last frame.
function tell() {
  if (news.length === 0) return
  $('#news').textContent = news.length < 4 ? news.join(', ') : t('news_many', news.length)
  news = []
}

function row(next) {
  const known = store.rows.get(next.id)
  const gone = store.take(next)
  if (gone) {
    items.get(gone)?.remove()
    items.delete(gone)
  }
  const now = store.rows.get(next.id)
  place(now)
  if (now.outcome && !known?.outcome) news.push(t('news', now.to, t(now.outcome)))
  if (now.delivery !== known?.delivery && now.reports) news.push(t('news_report', now.to, t(now.delivery)))
  draw()
}

// load fetches the whole state until that succeeds.
async function load(afterGap) {
  const fetchRows = async () => {
    for (;;) {
      try {
        const answer = await fetch('/state')
        if (!answer.ok) throw new Error(answer.status)
        state = await answer.json()
        return state.rows
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 1000))
      }
    }
  }
  if (!await store.load(fetchRows, afterGap)) return
  if (boot) notice = boot !== state.boot ? 'restarted' : afterGap ? 'caught_up' : notice
  boot = state.boot
  const recipients = state.simulated ? await recipientsOnce() : []
  form.offer(state, recipients)
  banner()
  redraw()
}

let recipients = null
const recipientsOnce = () => (recipients ??= fetch('/recipients.json').then((answer) => answer.json()))

function banner() {
  $('#mode').textContent = state ? t(state.simulated ? 'simulated' : 'real') : ''
  $('#mode').classList.toggle('real', state ? !state.simulated : false)
  $('#notice').hidden = !notice
  $('#notice').textContent = notice ? t(notice) : ''
  $('#link').dataset.state = linked
  $('#link-word').textContent = t(`link_${linked}`)
}

for (const tile of document.querySelectorAll('.tile')) {
  tile.addEventListener('click', () => {
    filter = tile.dataset.filter === filter ? '' : tile.dataset.filter
    for (const [id, li] of items) li.hidden = !matches(store.rows.get(id))
    draw()
  })
}
for (const button of document.querySelectorAll('[data-language]')) {
  button.addEventListener('click', () => {
    choose(button.dataset.language)
    words()
  })
}
$('#order').addEventListener('submit', () => { // what was said about the past has been read
  notice = ''
  banner()
})
new ResizeObserver(draw).observe($('#latency'))

function words() {
  translate()
  form.relabel()
  banner()
  redraw()
}

words()
listen('/events', {
  row,
  gap: () => load(true),
  opened: (unknown) => {
    if (linked === 'lost') reconnects++
    linked = 'live'
    banner()
    if (unknown) load(false)
    draw()
  },
  lost: () => {
    linked = 'lost'
    banner()
  },
})
