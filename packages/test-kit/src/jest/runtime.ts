import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type NodeItself from './environment.ts';
import * as suite from './globals.ts';

const require = createRequire(import.meta.url);
const globals = new URL('./globals.ts', import.meta.url).href;

// Outside of jest's own module system the package that suites import throws.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals'
      ? { url: globals, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
});

/**
 * What jest loads modules with (its setting `runtime`): Node's own loader. Sources run as they stand, as in every process of
 * the system, and what one suite loaded is there for the next one in the same worker.
 */
export default class NodesOwnLoader {
  readonly #environment: NodeItself;

  constructor(_config: unknown, environment: NodeItself) {
    this.#environment = environment;
  }

  /** Of the framework a suite gets a copy of its own, with no listeners and limits of the suite before. */
  requireInternalModule(path: string): unknown {
    delete require.cache[path];
    for (const name of ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL'])
      delete (globalThis as Record<symbol, unknown>)[Symbol.for(name)];
    return require(path);
  }

  setGlobalsForRuntime(framework: suite.Framework): void {
    suite.use(framework, this.#environment);
  }

  requireModule(path: string): unknown {
    return require(path);
  }

  unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  unstable_importModule(path: string): Promise<unknown> {
    return import(pathToFileURL(path).href);
  }

  getSourceMaps(): null {
    return null;
  }

  getAllCoverageInfoCopy(): undefined {}
  enterTestCode(): void {}
  leaveTestCode(): void {}
  teardown(): void {}
}
