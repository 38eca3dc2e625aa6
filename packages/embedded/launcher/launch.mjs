// The one entry of `npm start`, `npm test`, `npm run bench`, `npm run token`, `npm run doctor` and `npm run audit`. Plain JavaScript that runs on Node 20: it
// brings what the machine lacks, then hands over to Node 24, which runs the TypeScript sources as they stand.
import { spawn } from 'node:child_process';
import module from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installDependencies, installNode, neededNode, root } from './install.mjs';

const commands = {
  start: 'packages/embedded/src/start-command.ts',
  test: 'test/runner/run.ts',
  bench: 'test/bench/run.ts',
  token: 'packages/embedded/src/token-command.ts',
  doctor: 'packages/embedded/src/doctor-command.ts',
  audit: 'packages/embedded/src/audit-command.ts',
};

const usage = `usage: launch.mjs start | test | bench [OPTION...] | token --role ROLE [--sub NAME] | doctor [OPTION...] | audit verify | run COMMAND [ARGUMENT...]`;

async function main() {
  const [command, ...args] = process.argv.slice(2);
  if (!(command in commands) && !(command === 'run' && args.length > 0)) throw new Error(usage);
  if (process.platform === 'win32') throw new Error('This runs on Linux and macOS; on Windows, inside WSL.');
  if (Number.parseInt(process.versions.node, 10) < neededNode) return reexecute(await installNode());
  await installDependencies();
  if (command === 'run') return handOver(...withTools(args));
  // What Node makes of the sources serves the next time, too.
  module.enableCompileCache(join(root, '.tools', 'compiled'));
  await import(pathToFileURL(join(root, commands[command])));
}

/** The project's own tools first on the path. */
function withTools([program, ...args]) {
  const path = [join(root, 'node_modules', '.bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  return [program, args, { PATH: path }];
}

/** Over the channel the other side learns of our end even when it is SIGKILL. */
function reexecute(node) {
  const env = { PATH: [dirname(node), process.env.PATH].join(delimiter) };
  return handOver(node, process.argv.slice(1), env, ['inherit', 'inherit', 'inherit', 'ipc']);
}

/** Runs the program in our place: same terminal, every signal passed on, its exit code ours. */
async function handOver(program, args, env, stdio = 'inherit') {
  const child = spawn(program, args, { stdio, env: { ...process.env, ...env } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', (...how) => resolve(how));
  });
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exitCode = code ?? 1;
}

main().catch((error) => {
  console.error(`\n${error instanceof Error ? error.message : error}`);
  process.exit(1);
});
