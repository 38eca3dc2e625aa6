import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError } from '../src/process/config.ts';
import { runService } from '../src/process/lifecycle.ts';

/** Started as a process of its own by lifecycle.test.ts; the argument says what kind of service it is. */
const kind = process.argv[2];
const keptAlive = setInterval(() => {}, 1_000);

const start = async () => {
  if (kind === 'cannot-start') throw new Error('no database');
  if (kind === 'never-started') {
    process.send?.('starting');
    await new Promise(() => {});
  }
  if (kind === 'unhandled') setImmediate(() => Promise.reject(new Error('nobody cared')));
  return {
    port: 1,
    metricsPort: 2,
    leave: async () => {
      process.send?.('leaving');
      if (kind === 'leaves-long') await pause(60_000);
    },
    stop: async () => {
      clearInterval(keptAlive);
      if (kind === 'stop-fails') throw new Error('stuck');
      if (kind === 'stop-hangs') await pause(60_000);
    },
  };
};

await runService('test-service', () => {
  if (kind === 'bad-config') throw new ConfigError('PORT: expected a port');
  return start();
});
