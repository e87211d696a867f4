// The form that sends: kinds and numbers to choose from, the length of the
// text, and what went wrong.

import { $, el } from './dom.js'
import { current, t } from './words.js'

const form = $('#order')
let groups = [] // of recipients.json
let kinds = []
let sample = '' // the text that nobody has touched yet

// offer fills the form with what the program can send.
export function offer(state, recipients) {
  kinds = state.kinds
  groups = state.simulated ? recipients : []
  $('#scenario-field').hidden = !state.simulated
  $('#count-field').hidden = state.maxCount < 2
  $('#count').max = state.maxCount
  if (state.simulated && !$('#to').value) $('#to').value = groups[0].numbers[0].number
  relabel()
}

// relabel writes the form in the current language and keeps what was chosen.
export function relabel() {
  fill($('#kind'), kinds.map((kind) => el('option', { value: kind.name }, t(`kind_${kind.name}`))))
  const options = groups.map((group) => el('optgroup', { label: t(`group_${group.group}`) },
    ...group.numbers.map((n) => el('option', { value: n.number }, `${n.number.slice(-4)} · ${n[current()]}`))))
  fill($('#scenario'), [...options, el('option', { value: '' }, t('own_number'))])
  if ($('#text').value === sample) {
    sample = t('sample')
    $('#text').value = sample
  }
  scenario()
  measure()
}

function fill(select, options) {
  const chosen = select.value
  select.replaceChildren(...options)
  select.value = chosen
  if (select.selectedIndex < 0) select.selectedIndex = 0
}

// scenario shows what a number is expected to do.
function scenario() {
  const to = digits($('#to').value)
  const known = groups.flatMap((group) => group.numbers).find((n) => digits(n.number) === to)
  $('#scenario').value = known?.number ?? ''
  $('#expected').textContent = !known ? '' :
    known.delivery === 'none' ? t('expected', t(known.outcome)) : t('expected_with', t(known.outcome), t(known.delivery))
}

// measure counts as the vendor does, nearly: the SDK has the last word.
function measure() {
  const kind = kinds.find((k) => k.name === $('#kind').value)
  if (!kind) return
  const chars = [...$('#text').value]
  const length = kind.unit === 'bytes' ? chars.reduce((n, c) => n + (c < '\u0080' ? 1 : 2), 0) : chars.length
  $('#length').textContent = t(kind.unit, length, kind.max)
  $('#length').classList.toggle('over', length > kind.max)
}

const digits = (s) => s.replace(/\D/g, '')

function problem(word) {
  $('#problem').textContent = word ? t(`problem_${word}`) : ''
  $('#to').setAttribute('aria-invalid', String(word === 'to'))
}

async function submit(event) {
  event.preventDefault()
  const to = $('#to').value.trim()
  if (!to) {
    problem('to')
    $('#to').focus()
    return
  }
  problem('')
  const order = { kind: $('#kind').value, to, text: $('#text').value, count: Number($('#count').value) || 1 }
  try {
    const answer = await fetch('/messages', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(order),
    })
    if (!answer.ok) problem((await answer.json()).error)
  } catch {
    problem('offline')
  }
}

form.addEventListener('submit', submit)
$('#kind').addEventListener('change', measure)
$('#text').addEventListener('input', measure)
$('#to').addEventListener('input', scenario)
$('#scenario').addEventListener('change', () => {
  if (!$('#scenario').value) {
    $('#to').value = ''
    $('#to').focus()
  } else {
    $('#to').value = $('#scenario').value
  }
  scenario()
})
