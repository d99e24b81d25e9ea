// A live page: translated in place, followed when it changes, and given back as it was.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TranslatedElement, translateElement } from '../../dist/documents.js';
import { loadModel } from '../../dist/index.js';
import { wordByWord } from '../lib/markup.mjs';

const upper = { translate: wordByWord((word: string) => word.toUpperCase()) };
const reversed = { translate: wordByWord((word: string) => word.toUpperCase(), { isReversed: true }) };

let root: HTMLElement;
let current: TranslatedElement | undefined;
beforeEach(() => {
  root = document.body.appendChild(document.createElement('main'));
});
afterEach(() => {
  current?.stop();
  root.remove();
});

async function translated(html: string, options = {}, model = upper): Promise<string> {
  root.innerHTML = html;
  current = translateElement(model, root, options);
  await current.done;
  return root.innerHTML;
}

/** Long enough for what must not happen; what must happen is waited for by `becomes`. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 200));

/** Until a second has passed in which nothing more is counted, or for ever not. */
async function leftAlone(count: () => number, most: number): Promise<void> {
  for (let times = -1; count() !== times && count() < most; ) {
    times = count();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

const becomes = (html: string) => expect.poll(() => root.innerHTML, { timeout: 20_000 }).toBe(html);

describe('in place', () => {
  test('texts, tags with their words, and what stays', async () => {
    expect(
      await translated('<h1>one</h1><p>two <b>three</b></p><code>four</code><script>"five"</script>'),
    ).toBe('<h1>ONE</h1><p>TWO <b>THREE</b></p><code>four</code><script>"five"</script>');
    expect(await translated('<p>a <a href="x">b</a> <i>c</i></p>', {}, reversed)).toBe(
      '<p><i>C</i> <a href="x">B</a> A</p>',
    );
    expect(await translated('<p translate="no">a</p><p contenteditable>b</p><p>c</p>')).toBe(
      '<p translate="no">a</p><p contenteditable="">b</p><p>C</p>',
    );
  });

  test('nodes stay the same ones, with their listeners', async () => {
    root.innerHTML = '<p>press <a href="#">here</a> now</p>';
    const button = root.querySelector('a') as HTMLAnchorElement;
    let clicks = 0;
    button.addEventListener('click', () => clicks++);
    current = translateElement(reversed, root);
    await current.done;
    expect(root.querySelector('a')).toBe(button);
    button.click();
    expect([clicks, root.textContent]).toEqual([1, 'NOW HERE PRESS']);
  });

  test('attributes on request, and the language', async () => {
    const html =
      '<p title="one">two <img alt="three" src="data:,"></p><input placeholder="four" value="five">';
    expect(await translated(html)).toContain('title="one"');
    current?.restore();
    const all = await translated(html, { attributes: true, targetLanguage: 'fr' });
    expect(all).toBe(
      '<p title="ONE">TWO <img alt="THREE" src="data:,"></p><input placeholder="FOUR" value="five">',
    );
    expect(root.lang).toBe('fr');
    current?.restore();
    expect([root.innerHTML, root.hasAttribute('lang')]).toEqual([html, false]);
  });

  test('what is in sight comes first', async () => {
    const order: string[] = [];
    const model = {
      async translate(texts: readonly string[]) {
        order.push(...texts);
        return upper.translate(texts);
      },
    };
    const far = Array.from({ length: 30 }, (_, i) => `<p style="margin-top:2000px">far ${i}</p>`).join('');
    await translated(`<div>${far}</div><p style="position:fixed;top:0">near</p>`, {}, model);
    expect(order[0]).toBe('near');
    expect(order.length).toBe(31);
  });

  test('what a model writes is text', async () => {
    const model = {
      translate: async (texts: readonly string[]) => texts.map(() => ({ text: '<b>x', sentences: [] })),
    };
    expect(await translated('<p>one</p>', {}, model)).toBe('<p>&lt;b&gt;x</p>');
  });

  test('with a model', async () => {
    const model = await loadModel('/web/public/models/en-fr/');
    root.innerHTML = '<p>The <b>black</b> cat is <a href="#">hungry</a>.</p><p> </p><p>I am happy.</p>';
    current = translateElement(model, root, { targetLanguage: 'fr' });
    await current.done;
    expect(root.innerHTML).toBe(
      '<p>Le chat <b>noir</b> a <a href="#">faim</a>.</p><p> </p><p>Je suis heureux.</p>',
    );
    await model.dispose();
  });
});

describe('giving back', () => {
  const html =
    '<p>a <b>b c</b> d <i><u>e</u> f</i>. g <a href="#">h</a>!</p><ul><li>i<ul><li>j</li></ul>k</li></ul>text <em>l</em>';

  for (const model of [upper, reversed])
    test('everything, node by node', async () => {
      root.innerHTML = html;
      const nodes = [...root.querySelectorAll('*')];
      const texts = nodes
        .flatMap(({ childNodes }) => [...childNodes])
        .filter(({ nodeType }) => nodeType === 3);
      current = translateElement(model, root);
      await current.done;
      expect(root.innerHTML).not.toBe(html);
      current.restore();
      expect(root.innerHTML).toBe(html);
      expect([...root.querySelectorAll('*')]).toEqual(nodes);
      for (const text of texts) expect(root.contains(text)).toBe(true);
      current.restore();
      expect(root.innerHTML).toBe(html);
    });

  test('what the page has changed since stays', async () => {
    await translated('<p>one <b>two</b> three</p><p>four</p><p>five</p>');
    const [first, second, third] = root.querySelectorAll('p');
    (second?.firstChild as Text).data = 'mine';
    first?.append(' new');
    third?.remove();
    current?.restore();
    expect(root.innerHTML).toBe('<p>one <b>two</b> three new</p><p>mine</p>');
  });

  test('while it runs', async () => {
    root.innerHTML = Array.from({ length: 100 }, (_, i) => `<p>word ${i}</p>`).join('');
    const before = root.innerHTML;
    let calls = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = {
      async translate(texts: readonly string[]) {
        if (calls++ > 0) await released;
        return upper.translate(texts);
      },
    };
    current = translateElement(held, root);
    await expect.poll(() => root.textContent, { timeout: 20_000 }).toContain('WORD');
    current.restore();
    release();
    await expect(current.done).rejects.toMatchObject({ name: 'AbortError' });
    await settled();
    expect(root.innerHTML).toBe(before);
  });
});

describe('changes of the page', () => {
  test('are translated with observe, and only then', async () => {
    await translated('<p>one</p>', { observe: true });
    root.insertAdjacentHTML('beforeend', '<p>two <b>three</b></p>');
    (root.firstChild?.firstChild as Text).data = 'four';
    await becomes('<p>FOUR</p><p>TWO <b>THREE</b></p>');
    current?.stop();
    root.insertAdjacentHTML('beforeend', '<p>five</p>');
    await settled();
    expect(root.lastElementChild?.innerHTML).toBe('five');
    current?.restore();
    expect(root.innerHTML).toBe('<p>four</p><p>two <b>three</b></p><p>five</p>');
  });

  test('a part of a translated text: the whole is read again, from what it was', async () => {
    const read: string[] = [];
    const model = {
      async translate(texts: readonly string[]) {
        read.push(...texts);
        return upper.translate(texts);
      },
    };
    await translated('<p>one <b>two</b> three</p><p>four</p>', { observe: true }, model);
    (root.querySelector('b')?.firstChild as Text).data = 'new';
    await becomes('<p>ONE <b>NEW</b> THREE</p><p>FOUR</p>');
    expect(read).toEqual(
      ['one two three', 'four', 'one new three'].sort((a, b) => read.indexOf(a) - read.indexOf(b)),
    );
    current?.restore();
    expect(root.innerHTML).toBe('<p>one <b>new</b> three</p><p>four</p>');
  });

  test('attributes', async () => {
    await translated('<p title="one">two</p>', { observe: true, attributes: ['title'] });
    root.querySelector('p')?.setAttribute('title', 'three');
    await becomes('<p title="THREE">TWO</p>');
  });

  test('while it is translated: the newer text wins, and is translated', async () => {
    const slow = {
      async translate(texts: readonly string[]) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return upper.translate(texts);
      },
    };
    root.innerHTML = '<p>one</p>';
    current = translateElement(slow, root, { observe: true });
    (root.querySelector('p')?.firstChild as Text).data = 'two';
    await current.done;
    await becomes('<p>TWO</p>');
  });

  test('a chat and a clock are followed for ever', async () => {
    await translated('<ul></ul><p>tick</p>', { observe: true });
    const list = root.querySelector('ul') as HTMLElement;
    const clock = root.querySelector('p')?.firstChild as Text;
    for (let i = 0; i < 40; i++) {
      list.append(Object.assign(document.createElement('li'), { textContent: 'hello' }));
      clock.data = `tick ${'abcdefgh'[i % 8]}`;
      await expect
        .poll(() => root.textContent, { interval: 5 })
        .toBe(`${'HELLO'.repeat(i + 1)}TICK ${'ABCDEFGH'[i % 8]}`);
    }
  });

  test('a page that undoes what is written is left alone in the end', async () => {
    root.innerHTML = '<p>one</p>';
    const text = root.querySelector('p')?.firstChild as Text;
    let undone = 0;
    const contrary = new MutationObserver(() => {
      if (text.data === 'one') return;
      undone++;
      text.data = 'one';
    });
    contrary.observe(text, { characterData: true });
    current = translateElement(upper, root, { observe: true });
    await leftAlone(() => undone, 30);
    contrary.disconnect();
    expect(undone).toBeGreaterThan(0);
    expect(undone).toBeLessThan(30);
  });

  test('so is one that makes all of it anew', async () => {
    const html = '<p>one</p><p>two <b>three</b></p>';
    root.innerHTML = html;
    let undone = 0;
    const contrary = new MutationObserver(() => {
      if (root.innerHTML === html) return;
      undone++;
      root.innerHTML = html;
    });
    contrary.observe(root, { characterData: true, childList: true, subtree: true });
    current = translateElement(upper, root, { observe: true });
    await leftAlone(() => undone, 60);
    contrary.disconnect();
    expect(undone).toBeGreaterThan(0);
    expect(undone).toBeLessThan(60);
  });

  test('a list that is made anew for each of its messages is followed', async () => {
    const messages: string[] = [];
    const html = (render = (text: string) => text) =>
      messages.map((text) => `<p>${render(text)}</p>`).join('');
    current = translateElement(upper, root, { observe: true });
    await current.done;
    for (let i = 0; i < 30; i++) {
      messages.push(`message ${'abcdefghijklmnopqrstuvwxyz'[i % 26]} ${i}`);
      root.innerHTML = html();
      if (i % 10 === 9) await becomes(html((text) => text.toUpperCase()));
    }
  });
});

describe('the page keeps its nodes', () => {
  test('a field in a label, pictures in links', async () => {
    root.innerHTML =
      '<label><input type="checkbox"> the cat</label><p>a <a href="#"><img alt="" src="data:,"> b</a> c</p>';
    const nodes = [...root.querySelectorAll('*')];
    const parents = nodes.map((node) => node.parentNode);
    current = translateElement(reversed, root);
    await current.done;
    expect(nodes.map((node) => node.parentNode)).toEqual(parents);
    root.querySelector('label')?.click();
    expect(root.querySelector('input')?.checked).toBe(true);
    expect(root.querySelector('label')?.textContent).toBe(' CAT THE');
  });

  test('what it inserts keeps its place', async () => {
    await translated('<p>one <b>two</b> <i>three</i></p>', {}, reversed);
    const [bold] = root.querySelectorAll('b');
    bold?.before(document.createElement('u'));
    current?.restore();
    expect(root.innerHTML).toBe('<p>one <u></u><b>two</b> <i>three</i></p>');
  });

  test('nothing crosses a comment', async () => {
    const result = await translated('<p>a <!--x--><b>b</b><!--/x--> c</p>', {}, reversed);
    expect(result).toMatch(/<!--x--><b>B<\/b><!--\/x-->|<!--x-->.*<b>B<\/b>.*<!--\/x-->/);
  });

  test('two translations are one', async () => {
    root.innerHTML = '<p>one two</p>';
    const [outer, inner] = [root, root.firstElementChild as Element].map((one) =>
      translateElement(upper, one),
    );
    await Promise.all([outer?.done, inner?.done]);
    expect(root.innerHTML).toBe('<p>ONE TWO</p>');
    outer?.restore();
    inner?.restore();
    expect(root.innerHTML).toBe('<p>one two</p>');
  });
});

test('translations of one element by one model share it out', async () => {
  root.innerHTML = Array.from({ length: 200 }, (_, i) => `<p>${'abcdefgh'[i % 8]} ${i} one</p>`).join('');
  const read: string[] = [];
  const model = {
    async translate(texts: readonly string[]) {
      await new Promise((resolve) => setTimeout(resolve));
      read.push(...texts);
      return upper.translate(texts);
    },
  };
  const all = [root, root, document.body].map((one) => translateElement(model, one));
  await Promise.all(all.map(({ done }) => done));
  const own = read.filter((text) => /^[a-h] /.test(text));
  expect([own.length, new Set(own).size]).toEqual([200, 200]);
  expect(root.textContent).not.toMatch(/[a-z]/);
  all[2]?.restore();
  expect(root.textContent).toContain('a 0 one');
});

test('what was stopped in the middle of a text is translated when asked again', async () => {
  const sentences = Array.from({ length: 30 }, (_, i) => `The cat saw ${'abcdefgh'[i % 8]} little dog ${i}.`);
  root.innerHTML = `<p>${sentences.join(' ')}</p>`;
  const before = root.innerHTML;
  const page = translateElement({ translate: (texts) => upper.translate(texts) }, root, {
    onProgress: () => page.stop(),
  });
  await expect(page.done).rejects.toMatchObject({ name: 'AbortError' });
  expect(root.textContent).toMatch(/THE CAT.*The cat/);
  current = translateElement(upper, root);
  await current.done;
  expect(root.textContent).not.toMatch(/[a-z]/);
  current.restore();
  expect(root.innerHTML).toBe(before);
});

test('a page that puts the text in anew is left alone, one that goes to and fro is not', async () => {
  root.innerHTML = '<p>one</p><div>tick</div>';
  const [text, clock] = [...root.children];
  let undone = 0;
  const contrary = new MutationObserver(() => {
    if (text?.textContent === 'one' || !text) return;
    undone++;
    text.textContent = 'one';
  });
  contrary.observe(root, { subtree: true, childList: true, characterData: true });
  current = translateElement(upper, root, { observe: true });
  await current.done;
  const wait = (times: number) => new Promise((resolve) => setTimeout(resolve, times * 100));
  for (let i = 0; i < 12; i++) {
    if (clock) clock.textContent = ['tick', 'tock'][i % 2] ?? '';
    await expect.poll(() => clock?.textContent, { timeout: 5000 }).toBe(['TICK', 'TOCK'][i % 2]);
  }
  await wait(10);
  contrary.disconnect();
  expect(undone).toBeGreaterThan(0);
  expect(undone).toBeLessThan(30);
});

test('a link keeps its picture and its words; an element in a frame', async () => {
  const html = '<p>see <a href="#"><img alt="" src="data:,"> the cat</a> now</p><iframe></iframe>';
  root.innerHTML = html;
  current = translateElement(reversed, root);
  await current.done;
  expect(root.querySelector('a')?.textContent?.trim()).toBe('CAT THE');
  expect(root.querySelectorAll('a > img')).toHaveLength(1);
  current.restore();
  expect(root.innerHTML).toBe(html);
  const inside = root.querySelector('iframe')?.contentDocument?.body as HTMLElement;
  inside.textContent = 'two';
  current = translateElement(upper, inside);
  await current.done;
  expect(inside.innerHTML).toBe('TWO');
});

test('words that were added go with the elements that the page removes', async () => {
  root.innerHTML = '<p><b>one two</b><br></p>';
  const [bold] = root.querySelectorAll('b');
  const model = {
    translate: wordByWord((word: string) => word.toUpperCase(), { isReversed: true }),
  };
  current = translateElement(model, root, { observe: true });
  await current.done;
  bold?.remove();
  await becomes('<p><br></p>');
});

test('lines of one block, each in an order of its own', async () => {
  const line = (i: number) => `<b>${'abcdefgh'[i % 8]}</b> two <i>${i} three</i>`;
  root.innerHTML = Array.from({ length: 400 }, (_, i) => line(i)).join('<br>');
  const [before, nodes] = [root.innerHTML, [...root.childNodes]];
  current = translateElement(reversed, root, { observe: true });
  await current.done;
  const [first] = root.innerHTML.split('<br>');
  expect(first).toBe('<i>THREE 0</i> TWO <b>A</b>');
  expect(root.innerHTML.split('<br>')).toHaveLength(400);
  const bold = root.querySelectorAll('b')[200];
  bold?.remove();
  await expect.poll(() => root.innerHTML.split('<br>')[200]?.trim()).toBe('<i>THREE 200</i> TWO');
  current.restore();
  expect(root.innerHTML).toBe(before.replace(line(200), ' two <i>200 three</i>'));
  expect([...root.childNodes]).toEqual(nodes.filter((node) => node !== bold));
});

test('what is reached, and what is left alone', async () => {
  const html =
    '<div translate="no">a <p translate="yes">b</p></div><p lang="de">c</p><select><option>d</option></select>' +
    '<svg><text>e</text></svg><input type="button" value="f"><input type="submit" name="n" value="g">';
  root.lang = 'en';
  root.innerHTML = `${html}<section></section>`;
  const shadow = root.querySelector('section')?.attachShadow({ mode: 'open' }) as ShadowRoot;
  shadow.innerHTML = '<p>h</p>';
  current = translateElement(upper, root);
  await current.done;
  expect(root.innerHTML).toBe(
    '<div translate="no">a <p translate="yes">B</p></div><p lang="de">c</p><select><option value="d">D</option></select>' +
      '<svg><text>E</text></svg><input type="button" value="F"><input type="submit" name="n" value="g"><section></section>',
  );
  expect(shadow.innerHTML).toBe('<p>H</p>');
  current.restore();
  expect([root.innerHTML, shadow.innerHTML]).toEqual([`${html}<section></section>`, '<p>h</p>']);
});

test('React renders a thousand times meanwhile', async () => {
  const [{ createElement: h }, { createRoot }, { flushSync }] = await Promise.all([
    import('react'),
    import('react-dom/client'),
    import('react-dom'),
  ]);
  const view = (n: number) =>
    h(
      'main',
      null,
      h('p', null, `times ${n} `, n % 3 === 0 && h('b', null, 'three'), ' and ', h('i', null, 'more')),
      n % 2 === 0 && h('label', null, h('input', { type: 'checkbox' }), ' even'),
      h('ul', null, ...[n % 5, n % 7].map((one, key) => h('li', { key }, `item ${'abcdefg'[one]}`))),
    );
  const app = createRoot(root);
  const render = (n: number) => flushSync(() => app.render(view(n)));
  render(0);
  current = translateElement(reversed, root, { observe: true });
  for (let n = 1; n <= 1000; n++) {
    render(n);
    if (n % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await expect.poll(() => /[a-z]/.test(root.textContent ?? ''), { timeout: 20_000 }).toBe(false);
  current.restore();
  const plain = document.createElement('div');
  const other = createRoot(plain);
  flushSync(() => other.render(view(1000)));
  expect(root.innerHTML).toBe(plain.innerHTML);
  render(1001);
  flushSync(() => app.unmount());
  other.unmount();
});

describe('what a server rendered', () => {
  const start = async () => {
    const [{ createElement: h, useState }, { hydrateRoot }, { flushSync }, { renderToString }] =
      await Promise.all([
        import('react'),
        import('react-dom/client'),
        import('react-dom'),
        import('react-dom/server.browser'),
      ]);
    const App = () => {
      const [count, setCount] = useState(0);
      const press = () => flushSync(() => setCount(count + 1));
      const item = (one: string) => h('li', { key: one }, 'item ', h('b', null, one), ` of ${count}`);
      return h('div', null, h('button', { onClick: press }, 'press'), h('ul', null, ...['a', 'b'].map(item)));
    };
    root.innerHTML = renderToString(h(App));
    const errors: unknown[] = [];
    const hydrate = () =>
      flushSync(() => hydrateRoot(root, h(App), { onRecoverableError: (error) => errors.push(error) }));
    const press = () => root.querySelector('button')?.click();
    const plain = (count: number) => {
      const item = (one: string) => `<li>item <b>${one}</b> of ${count}</li>`;
      return `<div><button>press</button><ul>${item('a')}${item('b')}</ul></div>`;
    };
    const isUpper = () =>
      expect.poll(() => /[a-z]/.test(root.textContent ?? ''), { timeout: 20_000 }).toBe(false);
    return { hydrate, press, plain, errors, isUpper };
  };

  test('is translated after React has taken it over, and works on', async () => {
    const { hydrate, press, plain, errors, isUpper } = await start();
    hydrate();
    current = translateElement(reversed, root, { observe: true });
    await isUpper();
    for (let times = 0; times < 20; times++) press();
    await isUpper();
    expect(root.textContent).toContain('20');
    current.restore();
    expect(root.innerHTML).toBe(plain(20));
    expect(errors).toEqual([]);
  });

  test('is translated before: React makes it anew, which is translated', async () => {
    const { hydrate, press, plain, isUpper } = await start();
    current = translateElement(reversed, root, { observe: true });
    await current.done;
    hydrate();
    await isUpper();
    press();
    await expect.poll(() => root.textContent).toContain('1 OF');
    await isUpper();
    current.restore();
    expect(root.innerHTML).toBe(plain(1));
  });
});

test('a list that goes on for ever, whose rows are used again for others, is followed', async () => {
  const words = 'abcdefghijklmnopqrstuvwxyz';
  const said = (n: number) => `row ${n} is ${words[n % 26]}`;
  root.innerHTML = '<ul></ul><p>more below</p>';
  const list = root.querySelector('ul') as HTMLElement;
  const rows = Array.from({ length: 30 }, () => {
    const row = list.appendChild(document.createElement('li'));
    row.append(document.createTextNode(''), document.createElement('i'));
    return row;
  });
  // As libraries of such lists do: the rows that left at the top come in at the bottom, with another text.
  const scrollTo = (first: number) => {
    for (let n = first; n < first + rows.length; n++) {
      const row = rows[n % rows.length] as HTMLElement;
      if (row.dataset.n === `${n}`) continue;
      row.dataset.n = `${n}`;
      (row.firstChild as Text).data = `${said(n)} and `;
      (row.lastChild as HTMLElement).textContent = `number ${n}`;
      list.append(row);
    }
  };
  const shown = () => rows.map((row) => row.textContent).toSorted();
  const wanted = (first: number) =>
    rows.map((_, i) => `${said(first + i)} and number ${first + i}`).toSorted();
  scrollTo(0);
  current = translateElement(upper, root, { observe: true });
  for (let first = 0; first < 1500; first += 7) {
    scrollTo(first);
    if (first % 210 === 0)
      await expect.poll(shown, { timeout: 20_000 }).toEqual(
        wanted(first)
          .map((text) => text.toUpperCase())
          .toSorted(),
      );
  }
  const last = 1498;
  await expect.poll(shown, { timeout: 20_000 }).toEqual(
    wanted(last)
      .map((text) => text.toUpperCase())
      .toSorted(),
  );
  expect(rows.every((row) => row.isConnected && row.childNodes.length === 2)).toBe(true);
  current.restore();
  expect(shown()).toEqual(wanted(last));
});

test('Vue renders a thousand times meanwhile', async () => {
  const { createApp, h, nextTick, ref } = await import('vue');
  const n = ref(0);
  const render = () => [
    h('p', [`times ${n.value} `, n.value % 3 === 0 ? h('b', 'three') : null, ' and ', h('i', 'more')]),
    n.value % 2 === 0 ? h('label', [h('input', { type: 'checkbox' }), ' even']) : null,
  ];
  const app = createApp({ render });
  app.mount(root);
  current = translateElement(reversed, root, { observe: true });
  for (n.value = 1; n.value < 1000; n.value++) {
    await nextTick();
    if (n.value % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await nextTick();
  await expect.poll(() => /[a-z]/.test(root.textContent ?? ''), { timeout: 20_000 }).toBe(false);
  current.restore();
  const plain = document.createElement('div');
  const other = createApp({ render });
  other.mount(plain);
  expect(root.innerHTML).toBe(plain.innerHTML);
  app.unmount();
  other.unmount();
});

test('bad arguments', async () => {
  const bad = (...args: unknown[]) =>
    expect(() => (translateElement as (...args: unknown[]) => unknown)(...args));
  bad(upper, 'main').toThrow(/takes an element/);
  bad({}, root).toThrow(/takes a model/);
  bad(upper, root, { attributes: ['href'] }).toThrow(/attributes must be/);
  bad(upper, root, { targetLanguage: '??' }).toThrow(/language tag/);
  const failing = { translate: () => Promise.reject(new Error('mine')) };
  root.textContent = 'one';
  await expect(translateElement(failing, root).done).rejects.toThrow('mine');
  await expect(translateElement(upper, root, { signal: AbortSignal.abort('why') }).done).rejects.toBe('why');
});
