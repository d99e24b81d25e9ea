/** The controls of a view's row. Each is labelled, and calls back with the value that the visitor chose. */

import { make } from './dom.js';

let count = 0;

interface Labelled<T> {
  readonly label: string;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** A control that can be set from outside, for example from the address. */
export interface Control<T> {
  readonly element: HTMLElement;
  /** Shows a value without calling back. */
  set(value: T): void;
}

/** Buttons of which one is pressed; `options` from values to their names. */
export function choice({
  label,
  options,
  value,
  onChange,
}: Labelled<string> & { options: Readonly<Record<string, string>> }): Control<string> {
  const buttons = Object.entries(options).map(([option, name]) => {
    const button = make('button', { type: 'button', 'data-value': option }, name);
    button.addEventListener('click', () => {
      set(option);
      onChange(option);
    });
    return button;
  });
  const set = (chosen: string) => {
    for (const button of buttons) button.setAttribute('aria-pressed', `${button.dataset.value === chosen}`);
  };
  set(value);
  const element = make(
    'div',
    { class: 'choice', role: 'group', 'aria-label': label },
    make('span', { class: 'name' }, label),
  );
  element.append(make('span', { class: 'buttons' }, ...buttons));
  return { element, set };
}

/** A list to choose from, for more than a handful of options; `options` from values to their names. */
export function menu({
  label,
  options,
  value,
  onChange,
}: Labelled<string> & { options: Readonly<Record<string, string>> }): Control<string> {
  const select = make(
    'select',
    {},
    ...Object.entries(options).map(([option, name]) => make('option', { value: option }, name)),
  );
  select.value = value;
  select.addEventListener('change', () => onChange(select.value));
  return {
    element: make('label', { class: 'control' }, make('span', { class: 'name' }, label), select),
    set: (chosen) => {
      select.value = chosen;
    },
  };
}

/** A slider; `show` writes its value. */
export function slider({
  label,
  value,
  onChange,
  min,
  max,
  step,
  show = (number) => `${number}`,
}: Labelled<number> & {
  min: number;
  max: number;
  step: number;
  show?: (value: number) => string;
}): Control<number> {
  const id = `slider-${++count}`;
  const input = make('input', { type: 'range', id, min, max, step });
  const output = make('output', { for: id });
  const set = (number: number) => {
    input.value = `${number}`;
    output.textContent = show(number);
    input.setAttribute('aria-valuetext', show(number));
  };
  input.addEventListener('input', () => {
    set(input.valueAsNumber);
    onChange(input.valueAsNumber);
  });
  set(value);
  return {
    element: make(
      'div',
      { class: 'control' },
      make('label', { for: id, class: 'name' }, label),
      input,
      output,
    ),
    set,
  };
}

/** A box to tick. */
export function check({ label, value, onChange }: Labelled<boolean>): Control<boolean> {
  const input = make('input', { type: 'checkbox' });
  input.checked = value;
  input.addEventListener('change', () => onChange(input.checked));
  return {
    element: make('label', { class: 'control check' }, input, make('span', { class: 'name' }, label)),
    set: (isChecked) => {
      input.checked = isChecked;
    },
  };
}

/** A button that does something once. */
export function action(label: string, onClick: () => void): HTMLButtonElement {
  const button = make('button', { type: 'button' }, label);
  button.addEventListener('click', onClick);
  return button;
}
