import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  INSTRUMENTER_CONSTANTS,
  type InstrumenterContext,
  type StrykerOptions,
} from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  DryRunStatus,
  type DryRunResult,
  MutantRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
} from '@stryker-mutator/api/test-runner';
import { loadSpecsUnder } from './loading.ts';
import { type SpecTest, testsOf } from './specs.ts';

/** Separates a spec from a test's name in the id of a test. Without a name, it is the spec's own code. */
const SEPARATOR = ' > ';

/** How much less often than Stryker allows a mutant may run: that is a hundred times as often as its code did without it. */
const HITS = 1 / 20;

/**
 * Runs the unit specs for Stryker, in one process: product and specs are loaded once, and a mutant is switched on in
 * what is loaded. Then only the tests that reach the mutant run, up to the first that fails.
 */
class SpecRunner implements TestRunner {
  static inject = tokens(commonTokens.options);

  private readonly root = process.cwd();
  private readonly context: InstrumenterContext;
  private readonly files: string[];
  private readonly loaded = new Map<string, Map<string, SpecTest>>();
  private loads = 0;

  constructor(options: StrykerOptions) {
    const { specs } = options['mutation'] as { specs: string[] };
    const scope = globalThis as unknown as Record<string, InstrumenterContext | undefined>;
    this.context = scope[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {};
    this.files = globSync(specs, { cwd: this.root })
      .filter((file) => !/\.(int|e2e)\.spec\.ts$/.test(file))
      .sort();
    const current = `globalThis.${INSTRUMENTER_CONSTANTS.NAMESPACE}.${INSTRUMENTER_CONSTANTS.CURRENT_TEST_ID}`;
    loadSpecsUnder(this.root, (path) => `${current} = ${JSON.stringify(relative(this.root, path))};`);
  }

  /** A mutant of code that runs as it is loaded would need another process. There is none: these are left out. */
  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: false };
  }

  /** Builds and loads everything, which Stryker's time limits do not count. */
  async init(): Promise<void> {
    const { build } = (await import(
      join(this.root, 'apps/cli/bootstrap/build.mjs')
    )) as typeof import('../../apps/cli/bootstrap/build.mjs');
    await build();
    for (const file of this.files) await this.load(file);
  }

  async dryRun(): Promise<DryRunResult> {
    const results: TestResult[] = [];
    for (const [file, tests] of this.loaded) {
      results.push({ ...this.described(file), status: TestStatus.Success, timeSpentMs: 0 });
      for (const [id, test] of tests) results.push(await this.result(id, test));
    }
    return { status: DryRunStatus.Complete, tests: results, mutantCoverage: this.context.mutantCoverage };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { testFilter = [], activeMutant, sandboxFileName } = options;
    const hitLimit = options.hitLimit && options.hitLimit * HITS;
    const wanted = new Set(testFilter);
    const specs = new Set(testFilter.map((id) => id.split(SEPARATOR)[0]));
    let nrOfTests = 0;
    for (const file of this.byNearness(sandboxFileName).filter((one) => specs.has(one))) {
      Object.assign(this.context, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
      const failed = await this.firstFailure(file, wanted, () => (nrOfTests += 1));
      const { hitCount } = this.context;
      Object.assign(this.context, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
      if (determineHitLimitReached(hitCount, hitLimit)) return { status: MutantRunStatus.Timeout };
      if (failed === undefined) continue;
      await this.mustPass(file, failed.id);
      const { id, message: failureMessage } = failed;
      return { status: MutantRunStatus.Killed, killedBy: [id], failureMessage, nrOfTests };
    }
    return { status: MutantRunStatus.Survived, nrOfTests };
  }

  /** The first test of a spec that fails. A spec whose own code reaches the mutant is loaded again, and all of it runs. */
  private async firstFailure(file: string, wanted: ReadonlySet<string>, count: () => void) {
    const isWhole = wanted.has(file);
    try {
      for (const [id, test] of isWhole ? await this.load(file) : await this.testsIn(file)) {
        if (!isWhole && !wanted.has(id)) continue;
        count();
        const result = await this.result(id, test);
        if (result.status === TestStatus.Failed) return { id, message: result.failureMessage };
      }
      return undefined;
    } catch (error) {
      return { id: file, message: String(error) };
    } finally {
      if (isWhole) this.loaded.delete(file);
    }
  }

  /** A test that failed must pass without the mutant: else the mutant left something behind, or the test is not steady. */
  private async mustPass(file: string, id: string): Promise<void> {
    const test = (await this.testsIn(file)).get(id);
    const result = test && (await this.result(id, test));
    if (result?.status === TestStatus.Failed)
      throw new Error(`${id} fails without a mutant: ${result.failureMessage}`);
  }

  private async testsIn(file: string): Promise<Map<string, SpecTest>> {
    return this.loaded.get(file) ?? (await this.load(file));
  }

  private async load(file: string): Promise<Map<string, SpecTest>> {
    // Under another query a module is another one, and is evaluated again.
    const url = `${join(this.root, file)}?${(this.loads += 1)}`;
    try {
      const tests = await testsOf(() => import(url));
      const named = new Map<string, SpecTest>();
      for (const test of tests) named.set(this.freeId(named, `${file}${SEPARATOR}${test.name}`), test);
      this.loaded.set(file, named);
      return named;
    } finally {
      this.context.currentTestId = undefined;
    }
  }

  private freeId(taken: Map<string, SpecTest>, id: string): string {
    return taken.has(id) ? this.freeId(taken, `${id}'`) : id;
  }

  private async result(id: string, test: SpecTest): Promise<TestResult> {
    const started = performance.now();
    const spent = () => ({ timeSpentMs: performance.now() - started });
    this.context.currentTestId = id;
    try {
      await test.run();
      return { ...this.described(id), status: TestStatus.Success, ...spent() };
    } catch (error) {
      return { ...this.described(id), status: TestStatus.Failed, failureMessage: String(error), ...spent() };
    } finally {
      this.context.currentTestId = undefined;
    }
  }

  private described(id: string) {
    const [file] = id.split(SEPARATOR);
    return { id, name: id, fileName: join(this.root, file!) };
  }

  /** The specs beside a source first: they most likely find the mutant. */
  private byNearness(source: string): string[] {
    const parts = relative(this.root, source).split('/');
    const shared = (file: string) => file.split('/').findIndex((part, index) => part !== parts[index]);
    return this.files.toSorted((a, b) => shared(b) - shared(a));
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'specs', SpecRunner)];
/** The option that tells which specs run. */
export const strykerValidationSchema = {
  properties: {
    mutation: { type: 'object', properties: { specs: { type: 'array', items: { type: 'string' } } } },
  },
};
