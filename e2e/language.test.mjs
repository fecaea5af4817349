// The languages of the page: which one is spoken, that all of it is spoken, and what happens when it does not come.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { log, ready, settled, type, withPage } from './harness.mjs';

const spoken = (page) => page.evaluate(() => document.documentElement.lang);
const title = (page) => page.textContent('[data-step="1"] [data-slot="title"]');
const titles = { en: 'Worker A takes the lock', 'pt-BR': 'O worker A pega o lock', es: 'El worker A toma el lock' };
async function speaks(page, language) {
  await ready(page);
  await page.locator(`html[lang="${language}"]`).waitFor();
  await settled(page);
  assert.equal(await page.inputValue('#language'), language);
  assert.equal(await title(page), titles[language]);
}

/** Changes the language, whatever the session. */
async function change(page, language) {
  await page.selectOption('#language', language);
  await page.locator(`html[lang="${language}"]`).waitFor();
  await settled(page);
}

const choose = async (page, language) => {
  await change(page, language);
  await speaks(page, language);
};

test('the address comes first, then the choice of the reader, then the browser', async () => {
  for (const [locale, language] of [['pt-PT', 'pt-BR'], ['es-MX', 'es'], ['en-GB', 'en'], ['de-DE', 'en']]) {
    await withPage({ context: { locale } }, (page) => speaks(page, language));
  }
  await withPage({ context: { locale: 'pt-BR' } }, async (page, { url }) => {
    await speaks(page, 'pt-BR');
    await choose(page, 'en');
    await page.reload();
    await speaks(page, 'en');
    await page.goto(`${url}?lang=es&view=both`);
    await speaks(page, 'es');
    await choose(page, 'pt-BR');
    assert.equal(new URL(page.url()).search, '?lang=pt-BR&view=both');
    await page.reload();
    await speaks(page, 'pt-BR');
    await page.goto(url);
    await speaks(page, 'pt-BR');
  });
});

test('a language that nobody speaks here gives a sentence, and the default', () =>
  withPage({ path: '?lang=tlh', context: { locale: 'es-AR' } }, async (page) => {
    await speaks(page, 'es');
    assert.match(await page.innerText('#banner'), /^La dirección pide un idioma que el playground no habla\.\s+Cerrar$/);
    await page.click('#banner-close');
    assert.ok(await page.isHidden('#banner'));
  }));

for (const [name, fault] of [['is missing', 404], ['is a page', 'html'], ['is cut off', 'cut']]) {
  test(`a language whose file ${name} leaves the page in English, and says so`, () =>
    withPage({ path: '?lang=es', wrong: [[/es\.json$/, fault]], failOnConsole: false }, async (page) => {
      await speaks(page, 'en');
      assert.match(await page.innerText('#banner'), /^The texts of that language did not arrive\./);
      await type(page, 'PING');
      await settled(page);
      assert.equal((await log(page)).at(-1).reply, 'PONG');
      await choose(page, 'pt-BR');
    }));
}

for (const [name, body] of [['a list', '[]'], ['nothing', 'null'], ['numbers', '{"play":1}'], ['half a character', '{"play":"\\ud800"}']]) {
  test(`a language whose file holds ${name} changes nothing, before the engine comes and after`, () =>
    withPage({ path: '?lang=es', failOnConsole: false, prepare: (page) => page.route(/es\.json$/, (route) => route.fulfill({ body })) }, async (page) => {
      await speaks(page, 'en');
      assert.match(await page.innerText('#banner'), /^The texts of that language did not arrive\./);
      await choose(page, 'pt-BR');
      // What went well takes the word back.
      assert.ok(await page.isHidden('#banner'));
      await page.selectOption('#language', 'es');
      await page.locator('#banner').waitFor();
      await speaks(page, 'pt-BR');
      assert.equal(new URL(page.url()).search, '?lang=pt-BR');
    }));
}

test('what a file leaves out is said in English', () =>
  withPage({ path: '?lang=pt-BR', prepare: (page) => page.route(/es\.json$/, (route) => route.fulfill({ body: '{"play":"Va"}' })) }, async (page) => {
    await speaks(page, 'pt-BR');
    await page.selectOption('#language', 'es');
    await page.locator('html[lang="es"]').waitFor();
    await settled(page);
    assert.equal(await page.getAttribute('#play', 'aria-label'), 'Va');
    assert.equal(await title(page), titles.en);
    assert.equal(await page.innerText('#console-title'), 'Console');
  }));

/** A route that answers when it is told to. */
function held(page, pattern) {
  const waiting = [];
  return page.route(pattern, (route) => new Promise((done) => waiting.push(() => done(route.continue())))).then(() => ({
    release: () => waiting.splice(0).forEach((go) => go()),
  }));
}

test('a language that is chosen while the engine is on its way is spoken', async () => {
  let engine;
  await withPage({ prepare: async (page) => { engine = await held(page, /\.wasm$/); } }, async (page) => {
    await page.selectOption('#language', 'es');
    await page.locator('html[lang="es"]').waitFor();
    assert.equal(await title(page), titles.es);
    engine.release();
    await speaks(page, 'es');
  });
});

test('the last choice counts, whichever file comes first', async () => {
  let spanish;
  await withPage({ prepare: async (page) => { spanish = await held(page, /es\.json$/); } }, async (page) => {
    await ready(page);
    await page.selectOption('#language', 'es');
    await choose(page, 'pt-BR');
    spanish.release();
    await page.waitForResponse(/es\.json$/).catch(() => {});
    await settled(page);
    await speaks(page, 'pt-BR');
  });
});

test('the page opens without texts that do not come, and takes them when they do', async () => {
  let spanish;
  await withPage({ path: '?lang=es', prepare: async (page) => { spanish = await held(page, /es\.json$/); } }, async (page) => {
    await ready(page);
    assert.equal(await spoken(page), 'en');
    spanish.release();
    await speaks(page, 'es');
  });
});

test('tags are read as people write them', async () => {
  for (const [path, language] of [['?lang=PT_br', 'pt-BR'], ['?lang=%20es_MX', 'es'], ['?lang=xx&lang=es', 'es'], ['?lang=', 'en'], ['?lang', 'en']]) {
    await withPage({ path }, async (page) => {
      await speaks(page, language);
      assert.ok(await page.isHidden('#banner'), path);
    });
  }
});

test('what goes wrong is told in the language of the reader, and the steps can be read in it', () =>
  withPage({ path: '?lang=pt-BR', wrong: [[/\.wasm$/, 404]], failOnConsole: false }, async (page) => {
    await page.locator('#banner').waitFor();
    await page.locator('html[lang="pt-BR"]').waitFor();
    assert.match(await page.innerText('#banner'), /^O motor não foi carregado\./);
    assert.equal(await title(page), titles['pt-BR']);
    assert.equal(await page.innerText('#steps-title'), 'Jobs agendados');
  }));

test('storage that is denied changes nothing else', () =>
  withPage({ prepare: (page) => page.addInitScript(() => {
    Object.defineProperty(globalThis, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });
  }) }, async (page) => {
    await speaks(page, 'en');
    await choose(page, 'es');
  }));

// What can be read or heard, but for commands, replies and what people named themselves.
const words = (page) =>
  page.evaluate(() => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if ((node.parentElement ?? node).closest('[hidden]') || node.hidden) continue;
      if (node.nodeType === Node.TEXT_NODE) {
        const skipped = node.parentElement.closest('[lang]:not(html), script, style, noscript, .flag');
        if (!skipped) found.push(node.data.trim());
      } else {
        for (const name of ['aria-label', 'title', 'placeholder', 'aria-valuetext']) found.push(node.getAttribute(name) ?? '');
      }
    }
    return found.filter((text) => text.split(/\s+/).filter((word) => /^[a-z]{2,}[.,:]?$/i.test(word)).length > 1);
  });

test('nothing of the page stays in English, and a session goes on where it is', () =>
  withPage({}, async (page) => {
    await ready(page);
    for (const id of await page.locator('#scenario option:not([hidden])').evaluateAll((all) => all.map((option) => option.value))) {
      await page.selectOption('#scenario', id);
      await settled(page);
      await page.locator('#steps button[data-step]').last().click();
      await type(page, 'FOO');
      await settled(page);
      const english = new Set(await words(page));
      const clock = (await page.textContent('#clock-now')).replace(/\D/g, '');
      const said = (await log(page)).map(({ command, reply }) => ({ command, reply }));
      for (const language of ['pt-BR', 'es']) {
        await change(page, language);
        // Names, terms of the trade and commands stay.
        const kept = (await words(page)).filter((text) => english.has(text) && !/Lock Playground|Cache stampede|^[A-Z, ]+$/.test(text));
        assert.deepEqual(kept, [], `${id} in ${language}`);
        const chosen = await page.locator('#scenario option:checked').textContent();
        assert.equal(await page.textContent('#steps-title'), chosen, 'the steps are of the story that is chosen');
        assert.equal((await page.textContent('#clock-now')).replace(/\D/g, ''), clock);
        assert.deepEqual((await log(page)).map(({ command, reply }) => ({ command, reply })), said);
      }
      await change(page, 'en');
    }
  }));

test('what stands at the head of the page, and the transport of an embed, has room at every width', () =>
  withPage({}, async (page, { url }) => {
    for (const language of ['en', 'pt-BR', 'es']) {
      await page.goto(`${url}?lang=${language}`);
      await ready(page);
      await page.locator(`html[lang="${language}"]`).waitFor();
      for (const width of [320, 390, 481, 560, 640, 721, 800, 821, 900, 1000, 1181, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const wrong = await page.evaluate(() => {
          const parts = [...document.querySelectorAll('.name b, .pick-scenario, .tools > *')].filter((part) => part.getClientRects().length > 0);
          const boxes = parts.map((part) => [part.id || part.className || part.textContent, part.getBoundingClientRect()]);
          const over = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
          const pairs = boxes.flatMap(([one, a], index) => boxes.slice(index + 1).filter(([, b]) => over(a, b)).map(([other]) => `${one} over ${other}`));
          const outside = boxes.filter(([, box]) => box.right > innerWidth + 0.5).map(([name]) => `${name} outside`);
          const narrow = document.querySelector('.pick-scenario').clientWidth < 90 ? ['the choice of a session has no room'] : [];
          const [name, tools] = ['.name', '.tools'].map((part) => document.querySelector(part).getBoundingClientRect());
          const broken = tools.top > name.bottom ? ['the tools stand below the name'] : [];
          const [play, expiry] = ['#play', '#next-expiry'].map((part) => document.querySelector(part).getBoundingClientRect());
          if (innerWidth >= 640 && expiry.top > play.bottom) broken.push('the next expiry stands below the transport');
          return [...pairs, ...outside, ...narrow, ...broken];
        });
        assert.deepEqual(wrong, [], `${language} at ${width}`);
      }
    }
  }));
