import { expect, test } from '@jest/globals';
import { reserveGivenPort, reservePort } from './ports.ts';

test('a reserved port is nobody else’s until it is released', async () => {
  const { port, release } = await reservePort();
  await expect(reserveGivenPort(port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await release();
  const again = await reserveGivenPort(port);
  expect(again.port).toBe(port);
  await again.release();
});

test('ports reserved at once are all different', async () => {
  const reserved = await Promise.all(Array.from({ length: 20 }, reservePort));
  expect(new Set(reserved.map(({ port }) => port)).size).toBe(20);
  await Promise.all(reserved.map(({ release }) => release()));
});
