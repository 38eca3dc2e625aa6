import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // The gateway puts another one there for each answer.
  html: { cspNonce: '__NONCE__' },
  build: {
    // Everything by its own address: the Content-Security-Policy knows no inline code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
});
