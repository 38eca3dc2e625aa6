import { expect, test } from '@jest/globals';
import type { Role } from '@ops/contracts/roles';
import { z } from 'zod';
import { startTestApp, testRoute } from '../../test/app.ts';
import type { HttpApp } from './http-app.ts';

const roles: Role[] = ['staff', 'automation', 'scheduler'];
const given = { method: 'GET', roles, params: z.strictObject({}), query: z.strictObject({}) } as const;
const page = testRoute({ ...given, path: '/ops/page' });
const progress = testRoute({ ...given, path: '/ops/progress', isFollowed: true });

test('people are there once one of them asks, and not by following what runs nor by what runs by itself', async () => {
  let http = {} as HttpApp;
  const app = await startTestApp((made) => {
    http = made;
    for (const route of [page, progress]) made.read(route, async () => ({ body: {} }));
  });
  const isBusyAfter = async (path: string, role: Role) => {
    expect((await app.call('GET', path, { actor: { sub: 'somebody', role } })).status).toBe(200);
    return http.isBusy();
  };
  try {
    expect(await isBusyAfter(progress.path, 'staff')).toBe(false);
    expect(await isBusyAfter(page.path, 'automation')).toBe(false);
    expect(await isBusyAfter(page.path, 'scheduler')).toBe(false);
    expect(await isBusyAfter(page.path, 'staff')).toBe(true);
  } finally {
    await app.close();
  }
});
