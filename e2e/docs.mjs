// The element in the real output of VitePress and MkDocs Material, as their users would put it there; mdBook's turn is in
// embed.test.mjs. Run by `scripts/test.sh all`, which installs both.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { dist, shot } from './harness.mjs';
import { call, inside, told, visit, withFolder } from './hosts.mjs';
import { serve } from './server.mjs';

const here = fileURLToPath(new URL('docs', import.meta.url));

/** Copies a site's files, the pages and the playground into a folder, and builds it there. */
async function build(folder, site, { pages, playground, command, output }) {
  await cp(join(here, site), folder, { recursive: true, filter: (path) => !/node_modules|\.venv/.test(path) });
  for (const page of ['session.md', 'other.md']) await cp(join(here, page), join(folder, pages, page));
  await cp(dist, join(folder, playground), { recursive: true });
  const { status, stdout, stderr, error } = spawnSync(command[0], command.slice(1), { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, error?.message ?? `${stdout}${stderr}`);
  return serve(join(folder, output), { base: '/docs/' });
}

/** What a reader finds there. */
function walk(site, name, dark) {
  const foreign = [];
  const watch = (request) => {
    if (!request.url().startsWith(site.url) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
  };
  const options = { viewport: { width: 1280, height: 900 }, prepare: (page) => page.on('request', watch) };
  return visit(`${site.url}session.html`, options, async (page) => {
    await told(page, 'ready', 'named');
    assert.equal(await (await inside(page, '#named')).locator('#scenario').inputValue(), 'extend');
    await page.locator('#after').scrollIntoViewIfNeeded();
    await told(page, 'ready', 'after');
    const own = await inside(page, '#after');
    assert.deepEqual(await own.locator('#steps [data-slot=title]').allTextContents(), ['Mine']);
    await call(page, '#after', 'seek', '1h');
    assert.equal(await call(page, '#after', 'exec', 'EXISTS lock:x'), '(integer) 0');
    assert.equal(await own.locator('.differs-tag:visible').count(), 0, 'every line of the block arrived');
    assert.equal(await page.locator('pre:visible').count(), 0, 'the block is shown by the element after it');
    await shot(page, `docs-${name}`);
    // Away and back without loading the page anew.
    await page.getByRole('link', { name: 'On to the other page' }).click();
    await page.getByRole('heading', { name: 'Other' }).waitFor();
    await page.evaluate(() => { globalThis.heard = []; });
    await page.getByRole('link', { name: 'Back' }).click();
    await told(page, 'ready', 'named');
    await dark(page);
    await (await inside(page, '#named')).locator('html[data-theme=dark]').waitFor();
    await shot(page, `docs-${name}-dark`);
    assert.deepEqual(foreign, []);
  });
}

test('in a site by VitePress', () =>
  withFolder(async (folder) => {
    const modules = join(here, 'vitepress/node_modules');
    await symlink(modules, join(folder, 'node_modules'));
    const command = [process.execPath, join(modules, 'vitepress/bin/vitepress.js'), 'build', '.'];
    const site = await build(folder, 'vitepress', { pages: '.', playground: 'public/hotkv', command, output: '.vitepress/dist' });
    try {
      await walk(site, 'vitepress', (page) => page.locator('.VPSwitchAppearance').first().click());
    } finally {
      await site.close();
    }
  }));

test('in a site by MkDocs Material', () =>
  withFolder(async (folder) => {
    const command = [join(here, 'mkdocs/.venv/bin/mkdocs'), 'build', '--quiet'];
    const site = await build(folder, 'mkdocs', { pages: 'docs', playground: 'docs/hotkv', command, output: 'site' });
    try {
      await walk(site, 'mkdocs', (page) => page.locator('label[title=Dark]').click());
    } finally {
      await site.close();
    }
  }));
