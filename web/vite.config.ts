import { join } from 'node:path';
import { defineConfig } from 'vite';

const ROOT = join(import.meta.dirname, '..');

/**
 * Builds the pages of the kit into `dist/web`: `--mode console` the console of the mock, and
 * `--mode report` the script and the styles that the HTML report contains.
 */
export default defineConfig(({ mode }) => ({
  root: join(import.meta.dirname, mode),
  // The page is at several paths. The server puts the way to the root before each address.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(ROOT, 'dist/web', mode),
    emptyOutDir: true,
    target: 'es2022',
    // The page allows no inline script, and needs no preloading for one file.
    modulePreload: false,
    cssCodeSplit: mode !== 'report',
    assetsInlineLimit: 0,
    rolldownOptions:
      mode === 'report'
        ? {
            input: join(import.meta.dirname, 'report/main.tsx'),
            output: { format: 'iife', entryFileNames: 'report.js', assetFileNames: 'report[extname]' },
          }
        : {
            output: {
              entryFileNames: '__mock/console/[name]-[hash].js',
              assetFileNames: '__mock/console/[name]-[hash][extname]',
            },
          },
  },
}));
