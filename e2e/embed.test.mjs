// <hotkv-play> in pages of somebody else's: strict ones, slow ones, hostile ones, and ones without the playground.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { dist, settled, shifted, shot, watchShifts } from './harness.mjs';
import { around, call, heard, inside, told, visit, withFolder, withSite, write } from './hosts.mjs';
import { serve } from './server.mjs';

const STRICT =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; frame-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
const policy = (text) => `<meta http-equiv="Content-Security-Policy" content="${text}">`;
const SCRIPT = '<script src="play/embed.js" defer></script>';

const TRANSCRIPT = '# Mine\nA&gt; SET lock:x tok-1 NX PX 5000\nOK\nB&gt; SET lock:x tok-2 NX PX 5000\n(nil)\n+6s\n# Later\nB&gt; GET lock:x\n(nil)\n';

test('a session of the gallery and a transcript play in a page with a strict policy', () =>
  withSite(
    {
      'index.html': around(
        `<hotkv-play id="named" scenario="plain-del" start-at="3" loading="eager"></hotkv-play>
         <hotkv-play id="own" view="console" theme="dark" loading="eager">\n\n<pre><code>${TRANSCRIPT}</code></pre>\n\n</hotkv-play>`,
        { html: 'lang="es-MX"', head: policy(STRICT) + SCRIPT },
      ),
    },
    { base: '/a/b/' },
    (site) =>
      visit(site.url, {}, async (page) => {
        await told(page, 'ready', 'named');
        await told(page, 'ready', 'own');
        const named = await inside(page, '#named');
        assert.equal(await named.locator('html').getAttribute('lang'), 'es');
        assert.equal(await named.locator('#clock-now').textContent(), '00:14,001');
        assert.ok(await named.locator('#full-size').isVisible());
        assert.ok(!(await named.locator('#share').isVisible()) && !(await named.locator('#theme').isVisible()));
        const own = await inside(page, '#own');
        assert.equal(await own.locator('html').getAttribute('data-theme'), 'dark');
        assert.deepEqual(await own.locator('#steps [data-slot=title]').allTextContents(), ['Mine', 'Later']);
        assert.ok(await own.locator('#console-log').isVisible());
        assert.ok(!(await page.locator('#own pre').isVisible()), 'the frame stands in the place of the transcript');
        assert.equal(await call(page, '#own', 'exec', 'A> GET lock:x'), '"tok-1"');
        assert.equal(await call(page, '#own', 'exec', 'GET "'), '(error) Invalid argument(s): a quote is not closed, or text follows it directly');
        assert.equal(await own.locator('#edited').isVisible(), false, 'the console is shown');
      }),
  ));

test('methods and events tell a host page what it needs', () =>
  withSite({ 'index.html': around('<hotkv-play loading="eager"></hotkv-play>') }, {}, (site) =>
    visit(site.url, { reducedMotion: 'no-preference' }, async (page) => {
      // Asked for before it is there.
      assert.equal(await call(page, 'hotkv-play', 'exec', 'CLOCK NOW'), '(integer) 1893456002000');
      await call(page, 'hotkv-play', 'seek', 4);
      await call(page, 'hotkv-play', 'seek', '14s');
      await call(page, 'hotkv-play', 'step', -1);
      await call(page, 'hotkv-play', 'step');
      await call(page, 'hotkv-play', 'seek', 'never');
      await told(page, 'error');
      await call(page, 'hotkv-play', 'reset');
      await page.waitForFunction(() => globalThis.heard.at(-1).step === 1);
      await page.locator('hotkv-play').evaluate((element) => element.setAttribute('speed', '100'));
      await call(page, 'hotkv-play', 'play');
      await told(page, 'ended');
      const events = await heard(page);
      assert.deepEqual(events[0], { id: '', name: 'ready', at: 2000, step: 1, steps: 6 });
      assert.deepEqual(events.filter(({ name }) => name === 'step').map(({ step }) => step).slice(0, 5), [4, 3, 2, 3, 1]);
      assert.deepEqual(events.filter(({ name }) => name === 'error').map(({ message }) => message), ["'never' is no step, such as 3, and no instant, such as 12s"]);
      assert.deepEqual(events.slice(-2).map(({ name }) => name), ['pause', 'ended']);
    }),
  ));

test('the script of another origin shows the playground of that origin', () =>
  withSite({}, {}, (playground) =>
    withSite(
      { 'index.html': around('<p>Text</p><pre>A> SET lock:z t NX PX 1000\nOK</pre><p><hotkv-play></hotkv-play></p>', { head: `<script src="${playground.url}play/embed.js"></script>` }) },
      { playground: false },
      (site) =>
        visit(site.url, {}, async (page) => {
          await told(page, 'ready');
          assert.equal(await call(page, 'hotkv-play', 'exec', 'EXISTS lock:z'), '(integer) 0');
          await call(page, 'hotkv-play', 'seek', '1h');
          assert.equal(await call(page, 'hotkv-play', 'exec', 'GET lock:z'), '"t"');
          assert.ok(!(await page.locator('pre').isVisible()), 'the transcript before the element is shown by it');
          // Taken out, it gives the transcript back; put in again, it plays again.
          await page.evaluate(() => { globalThis.kept = document.querySelector('hotkv-play'); globalThis.kept.remove(); });
          assert.ok(await page.locator('pre').isVisible());
          await page.evaluate(() => { globalThis.heard = []; document.querySelectorAll('p')[1].append(globalThis.kept); });
          await told(page, 'ready');
          assert.ok(!(await page.locator('pre').isVisible()));
        }),
    ),
  ));

for (const [what, body, { head = SCRIPT, transcript = 'A> PING\nPONG', ...options }, expected] of [
  ['the playground is not there', '', { wrong: [[/play\/index\.html/, 404]] }, 'The playground did not load.'],
  ['the page forbids the frame', '', { head: policy("script-src 'self'; frame-src 'none'") + SCRIPT }, 'The playground did not load.'],
  ['the engine does not come', '', { wrong: [[/\.wasm$/, 404]] }, 'The engine did not arrive. Check the connection, then try again. The steps can still be read.'],
  ['a page comes for the engine', ' lang="pt"', { wrong: [[/\.wasm$/, 'html']] }, 'O servidor enviou uma página no lugar do motor: falta lá um arquivo do site. As etapas ainda podem ser lidas.'],
  ['the session is not there', ' scenario="nothing"', {}, 'There is no session named “nothing” here.'],
  ['the session is not there for a reader of Portuguese', ' scenario="nothing" lang="pt"', {}, 'Não há aqui nenhuma sessão chamada “nothing”.'],
  ['the session is not there for a reader of Spanish', ' scenario="nothing" lang="es"', {}, 'Aquí no hay ninguna sesión llamada «nothing».'],
  ['the transcript is too long', '', { transcript: 'A> PING\n'.repeat(40_000) }, 'the text is too long'],
  ['the start is no place', ' start-at="soon"', {}, "'soon' is no step, such as 3, and no instant, such as 12s"],
]) {
  test(`when ${what}, the transcript stays and a sentence says why`, () =>
    withSite({ 'index.html': around(`<hotkv-play loading="eager"${body}><pre>${transcript}</pre></hotkv-play>`, { head }) }, options, (site) =>
      visit(site.url, { expected: [/404|Content Security Policy|frame-src|wasm|CompileError|download|mime/i] }, async (page) => {
        await told(page, 'error');
        assert.ok(await page.locator('pre').isVisible());
        assert.equal(await page.locator('hotkv-play [part=note]').textContent(), expected);
        assert.equal(await page.locator('hotkv-play iframe').count(), 0);
        await assert.rejects(page.evaluate(async () => {
          const element = document.querySelector('hotkv-play');
          const answer = element.exec('PING');
          element.remove();
          await answer;
        }));
      }),
    ));
}

test('a page that was opened as a file says what it needs', () =>
  withFolder(async (folder) => {
    const script = pathToFileURL(join(dist, 'embed.js'));
    await write(folder, { 'index.html': around('<hotkv-play><pre>A> PING\nPONG</pre></hotkv-play>', { head: `<script src="${script}"></script>`, html: 'lang="pt-BR"' }) });
    await visit(pathToFileURL(join(folder, 'index.html')).href, {}, async (page) => {
      await told(page, 'error');
      assert.equal(await page.locator('[part=note]').textContent(), 'O playground precisa de um servidor web; esta página foi aberta como arquivo.');
      assert.ok(await page.locator('pre').isVisible());
    });
  }));

test('many on one page load as they come near, and nothing moves by itself', () =>
  withSite({ 'index.html': around(Array.from({ length: 12 }, (_, index) => `<p>Text ${index}</p><hotkv-play id="p${index}" scenario="scheduled-jobs"></hotkv-play>`).join(''), { head: SCRIPT.replace(' defer', '') }) }, {}, (site) =>
    visit(site.url, { prepare: watchShifts }, async (page) => {
      await told(page, 'ready', 'p0');
      await settled(page);
      const frames = () => page.locator('hotkv-play iframe').count();
      const first = await frames();
      assert.ok(first >= 1 && first <= 3, `${first} of 12 are loaded`);
      await page.locator('#p7').scrollIntoViewIfNeeded();
      await told(page, 'ready', 'p7');
      assert.ok((await frames()) < 12);
      // Each has its own store.
      await call(page, '#p0', 'exec', 'SET a 1');
      assert.equal(await call(page, '#p7', 'exec', 'GET a'), '(nil)');
      const moved = await shifted(page);
      assert.ok(moved <= 0.05, `moved by ${moved}`);
    }),
  ));

test('the reader begins where the page says so', () =>
  withSite({ 'index.html': around('<hotkv-play loading="click" lang="es" autoplay speed="100"></hotkv-play>') }, {}, (site) =>
    visit(site.url, { reducedMotion: 'no-preference' }, async (page) => {
      assert.equal(await page.locator('iframe').count(), 0);
      await page.getByRole('button', { name: 'Reproducir esta sesión' }).click();
      await told(page, 'ended');
    }),
  ));

test('a method called right after the element is put in loads it', () =>
  withSite({ 'index.html': around('') }, {}, (site) =>
    visit(site.url, {}, async (page) => {
      const reply = await page.evaluate(() => {
        const element = document.createElement('hotkv-play');
        document.body.append(element);
        return element.exec('PING');
      });
      assert.equal(reply, 'PONG');
      assert.equal(await page.locator('iframe').count(), 1);
    }),
  ));

test('whoever waits for a reply gets one, or is told why not', () =>
  withSite({ 'index.html': around('<hotkv-play id="a" loading="eager"></hotkv-play><hotkv-play id="b" loading="eager" scenario="nothing"></hotkv-play>') }, {}, (site) =>
    visit(site.url, {}, async (page) => {
      await told(page, 'ready', 'a');
      await told(page, 'error', 'b');
      assert.equal(await page.locator('#a').evaluate((element) => element.exec('ECHO \ud800')), '"\\xef\\xbf\\xbd"');
      await assert.rejects(call(page, '#b', 'exec', 'PING'), /no session named/);
      // Corrected, it comes; made wrong while it is there, it says so and stays.
      await page.locator('#b').evaluate((element) => element.setAttribute('scenario', 'extend'));
      await told(page, 'ready', 'b');
      assert.equal(await call(page, '#b', 'exec', 'PING'), 'PONG');
      await page.locator('#b').evaluate((element) => element.setAttribute('scenario', 'nowhere'));
      await page.locator('#b [part=note]').waitFor();
      assert.equal(await page.locator('#b [part=note]').textContent(), 'There is no session named “nowhere” here.');
      assert.equal(await call(page, '#b', 'exec', 'EXISTS nothing'), '(integer) 0');
      // A speed is no other session.
      await call(page, '#a', 'exec', 'SET mine 1');
      await page.locator('#a').evaluate((element) => element.setAttribute('speed', '10'));
      const frame = await inside(page, '#a');
      await frame.locator('#speed input[value="10"]:checked').waitFor({ state: 'attached' });
      assert.equal(await call(page, '#a', 'exec', 'GET mine'), '"1"');
      // Out of the page, and with another page in the frame.
      await assert.rejects(page.evaluate(() => { const element = document.querySelector('#b'); element.remove(); return element.exec('PING'); }), /in no page/);
      await frame.evaluate(() => { location.href = 'about:blank'; });
      await told(page, 'error', 'a');
      await assert.rejects(call(page, '#a', 'exec', 'PING'), /did not load/);
    }),
  ));

test('whoever asked a page that was loaded anew is told so, and the next one answers', () =>
  withSite({ 'index.html': around('<hotkv-play loading="eager" scenario="extend"></hotkv-play>') }, {}, (site) =>
    visit(site.url, {}, async (page) => {
      await told(page, 'ready');
      // Held back in the frame, the question goes down with the page.
      const frame = await inside(page, 'hotkv-play');
      await frame.evaluate(() => { addEventListener('message', (event) => event.stopImmediatePropagation(), true); });
      const asked = page.locator('hotkv-play').evaluate((element) => element.exec('PING').catch((error) => error.message));
      await frame.evaluate(() => { setTimeout(() => location.reload()); });
      assert.equal(await asked, 'the playground was loaded anew');
      assert.equal(await call(page, 'hotkv-play', 'exec', 'PING'), 'PONG');
    }),
  ));

test('a wrong speed is told', () =>
  withSite({ 'index.html': around('<hotkv-play loading="eager" speed="-3"><pre>A> PING</pre></hotkv-play>') }, {}, (site) =>
    visit(site.url, {}, async (page) => {
      await told(page, 'error');
      assert.equal(await page.locator('[part=note]').textContent(), '-3 is no speed: a whole number from 1 to 1000000');
      assert.ok(await page.locator('pre').isVisible());
    }),
  ));

test('the frame is as tall as its width needs, however quickly that changes', () =>
  withSite({ 'index.html': around('<hotkv-play loading="eager" scenario="plain-del"></hotkv-play>') }, {}, (site) =>
    visit(site.url, { viewport: { width: 900, height: 900 } }, async (page) => {
      await told(page, 'ready');
      const height = () => page.locator('hotkv-play').evaluate((element) => element.offsetHeight);
      await page.waitForFunction(() => document.querySelector('hotkv-play').offsetHeight < 900);
      const wide = await height();
      for (let round = 0; round < 4; round += 1) {
        await page.setViewportSize({ width: 380, height: 900 });
        await page.setViewportSize({ width: 900, height: 900 });
      }
      await page.waitForFunction((wide) => document.querySelector('hotkv-play').offsetHeight <= wide, wide);
    }),
  ));

test('it follows the language and the theme of the page around it', () =>
  withSite({ 'index.html': around('<hotkv-play loading="eager"></hotkv-play>', { head: '<script src="play/embed.js" defer></script><style>.night { background: #111; color: oklch(0.9 0 0) }</style>' }) }, {}, (site) =>
    visit(site.url, {}, async (page) => {
      await told(page, 'ready');
      const frame = await inside(page);
      assert.equal(await frame.locator('html').getAttribute('data-theme'), 'light');
      await page.evaluate(() => { document.body.className = 'night'; document.documentElement.lang = 'pt'; });
      await frame.locator('html[data-theme=dark][lang=pt-BR]').waitFor();
      await page.locator('hotkv-play').evaluate((element) => { element.setAttribute('theme', 'light'); element.setAttribute('view', 'stage'); });
      await frame.locator('html[data-theme=light]').waitFor();
      await frame.locator('#steps').waitFor({ state: 'hidden' });
      // A tall panel leaves no empty space behind.
      const before = await page.locator('hotkv-play').evaluate((element) => element.offsetHeight);
      for (const [view, taller] of [['explorer', true], ['steps', false]]) {
        await page.locator('hotkv-play').evaluate((element, view) => element.setAttribute('view', view), view);
        await page.waitForFunction(
          ([before, taller]) => document.querySelector('hotkv-play').offsetHeight > before + 250 === taller,
          [before, taller],
        );
      }
      // What the page chose is not kept as the reader's choice.
      assert.equal(await frame.evaluate(() => localStorage.getItem('hotkv.theme')), null);
    }),
  ));

test('a hostile page gets nothing but answers', () =>
  withSite(
    {
      'index.html': around('<hotkv-play loading="eager"></hotkv-play><iframe name="beside" src="beside.html"></iframe>'),
      'beside.html': '<!doctype html><title>Beside</title>',
    },
    {},
    (site) =>
      visit(site.url, {}, async (page) => {
        await told(page, 'ready');
        const frame = await inside(page);
        const before = await frame.locator('#console-log').textContent();
        await page.evaluate(() => {
          const target = document.querySelector('hotkv-play').shadowRoot.querySelector('iframe').contentWindow;
          const self = {};
          self.self = self;
          const junk = [null, 7, 'text', '{}', '{"hotkv":', '{"hotkv":1}', '{"hotkv":1,"do":"__proto__"}', '{"hotkv":1,"do":"open","transcript":7}', self, [], new ArrayBuffer(8),
            `{"hotkv":1,"do":"open","transcript":"${'A> PING\\n'.repeat(100_000)}"}`, `{"hotkv":1,"do":"exec","id":1,"line":"${'x'.repeat(600_000)}"}`, `{"hotkv":1,"lang":"xx","do":"dress","theme":"<img>"}`];
          for (let round = 0; round < 50; round += 1) for (const message of junk) target.postMessage(message, '*');
        });
        // Somebody else than the parent is not listened to, whatever he says.
        await page.frame('beside').evaluate(() => parent.frames[0].postMessage('{"hotkv":1,"do":"exec","id":9,"line":"SET stolen 1"}', '*'));
        await page.frame('beside').evaluate(() => parent.postMessage('{"hotkv":1,"event":"failed","message":"no"}', '*'));
        assert.equal(await call(page, 'hotkv-play', 'exec', 'EXISTS stolen'), '(integer) 0');
        assert.ok((await frame.locator('#console-log').textContent()).startsWith(before));
        assert.equal(await call(page, 'hotkv-play', 'exec', 'PING'), 'PONG');
        await assert.rejects(call(page, 'hotkv-play', 'exec', 'x'.repeat(1_000_000)), /too long/);
        assert.ok((await heard(page)).filter(({ name }) => name === 'error').length > 0);
      }),
  ));

test('from a frame the same session opens in full size', () =>
  withSite({ 'index.html': around('<hotkv-play loading="eager" scenario="extend" start-at="2"></hotkv-play>') }, {}, (site) =>
    visit(site.url, {}, async (page) => {
      await told(page, 'ready');
      await call(page, 'hotkv-play', 'exec', 'SET mine 1');
      const frame = await inside(page);
      const [opened] = await Promise.all([page.context().waitForEvent('page'), frame.locator('#full-size').click()]);
      await opened.locator('#console-input:enabled').waitFor({ state: 'attached' });
      assert.equal(await opened.locator('#console-log [data-part=command]').last().textContent(), 'SET mine 1');
      assert.ok(await opened.locator('#share').isVisible());
    }),
  ));

test('an empty mdBook and three lines give a live session', () =>
  withFolder(async (folder) => {
    const run = (...words) => {
      const { status, stderr, error } = spawnSync('mdbook', words, { cwd: folder, encoding: 'utf8' });
      assert.equal(status, 0, error?.message ?? stderr);
    };
    run('init', '--title', 'Docs', '--ignore', 'none', '--force');
    await cp(dist, join(folder, 'src/hotkv'), { recursive: true });
    // The lines as README.md has them.
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
    const lines = /```html\n(<script src="hotkv\/embed\.js".*?)```/s.exec(readme)?.[1];
    assert.ok(lines, 'README.md tells the lines');
    const chapter = await readFile(join(folder, 'src/chapter_1.md'), 'utf8');
    const fenced = '<hotkv-play id="fenced">\n\n```hotkv\n# Mine\nA> SET lock:x t NX PX 5000\nOK\n\n+6s\nB> GET lock:x\n(nil)\n```\n\n</hotkv-play>\n';
    await write(folder, { 'src/chapter_1.md': `${chapter}\n${lines}\n${fenced}\nThe end.\n` });
    run('build');
    const site = await serve(join(folder, 'book'), { base: '/docs/' });
    try {
      await visit(`${site.url}chapter_1.html`, { viewport: { width: 1280, height: 900 } }, async (page) => {
        await told(page, 'ready');
        const named = 'hotkv-play[scenario]';
        assert.equal(await (await inside(page, named)).locator('#scenario').inputValue(), 'plain-del');
        assert.equal(await call(page, named, 'exec', 'PING'), 'PONG');
        await page.locator('#fenced').scrollIntoViewIfNeeded();
        await told(page, 'ready', 'fenced');
        const own = await inside(page, '#fenced');
        assert.deepEqual(await own.locator('#steps [data-slot=title]').allTextContents(), ['Mine']);
        await call(page, '#fenced', 'seek', '1h');
        assert.equal(await call(page, '#fenced', 'exec', 'EXISTS lock:x'), '(integer) 0');
        assert.equal(await own.locator('.differs-tag:visible').count(), 0);
        await shot(page, 'mdbook', { fullPage: true });
      });
    } finally {
      await site.close();
    }
  }));
