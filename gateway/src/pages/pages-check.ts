import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type Check, failed, ok } from '@ops/service-kit/doctor/finding';
import type { GatewayConfig } from '../config.ts';

export const pagesCheck = ({ UI_DIR }: GatewayConfig): Check => ({
  name: 'pages',
  fix: 'leave UI_DIR out: an image brings its pages',
  async run() {
    const there = await access(join(UI_DIR, 'index.html')).then(
      () => true,
      () => false,
    );
    if (there) return [ok('pages', `built, in ${UI_DIR}`)];
    return [
      failed(
        'pages',
        `none in ${UI_DIR}`,
        'npm start builds them, and so does the image; or let UI_DIR name where they lie',
      ),
    ];
  },
});
