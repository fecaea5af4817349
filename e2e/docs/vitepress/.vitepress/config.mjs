// A site of documentation by VitePress, as its own guide makes one, with the playground in public/hotkv/.
import { defineConfig } from 'vitepress';

export default defineConfig({
  title: 'Docs',
  base: '/docs/',
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['script', { src: '/docs/hotkv/embed.js' }],
  ],
  // The element is no component of Vue's.
  vue: { template: { compilerOptions: { isCustomElement: (name) => name === 'hotkv-play' } } },
});
