import {
  readAllWalletKeys,
  WalletRebuilder,
  WalletVerifier,
  type WalletRowKey,
} from '#libs/contexts/credits';
import { CliError } from '../cli-error.js';
import { startProgress } from '../progress.js';
import { runUntilStopSignal } from '../run-until-stop-signal.js';
import { countWithNoun, durationText } from '../wording.js';
import { withWalletSources, type WalletSources } from './wallet-sources.js';

/** The options of the commands on wallets. */
export interface WalletOptions {
  readonly workspace?: string;
}

/** A wallet that differs from its stream or from the usage log, with a text for each difference. */
export interface WalletMismatch extends WalletRowKey {
  readonly differences: readonly string[];
}

/** The result of `credits verify`. */
export interface WalletsVerification {
  /** The number of compared wallets. */
  readonly wallets: number;
  readonly mismatches: readonly WalletMismatch[];
  /** The time that the comparison took, in seconds. */
  readonly seconds: number;
}

/** The result of `credits rebuild`. */
export interface WalletsRebuildResult {
  /** The number of rebuilt wallets. */
  readonly wallets: number;
  /** The time that the rebuild took, in seconds. */
  readonly seconds: number;
}

/** Compares wallets with their streams and with the usage log. Shows the progress on `output`. */
export async function verifyWallets(
  options: WalletOptions,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<WalletsVerification> {
  const mismatches: WalletMismatch[] = [];
  const result = await eachWallet('verify', options, env, output, ({ pool, streams }) => {
    const verification = new WalletVerifier(pool, streams);
    return async (key) => {
      const differences = await verification.verify(key);
      if (differences.length > 0) mismatches.push({ ...key, differences });
    };
  });
  return { ...result, mismatches };
}

/** Computes wallets again from their streams and the usage log. Shows the progress on `output`. */
export async function rebuildWallets(
  options: WalletOptions,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
): Promise<WalletsRebuildResult> {
  return eachWallet('rebuild', options, env, output, ({ pool, streams }) => {
    const rebuild = new WalletRebuilder(pool, streams);
    return (key) => rebuild.rebuild(key);
  });
}

async function eachWallet(
  command: string,
  { workspace }: WalletOptions,
  env: NodeJS.ProcessEnv,
  output: NodeJS.WriteStream,
  start: (sources: WalletSources) => (key: WalletRowKey) => Promise<void>,
): Promise<WalletsRebuildResult> {
  const began = performance.now();
  return withWalletSources(env, command, async (sources) => {
    const keys = await readAllWalletKeys(sources.pool, workspace);
    if (keys.length === 0 && workspace !== undefined)
      throw new CliError(`The workspace "${workspace}" has no wallets; check --workspace`);
    const work = start(sources);
    const progress = startProgress(keys.length, 'wallets', output);
    await runUntilStopSignal(async (signal) => {
      try {
        for (const [index, key] of keys.entries()) {
          if (signal.aborted) throw new CliError('Stopped. Run the same command to begin again');
          await work(key);
          progress.update(index + 1, index + 1);
        }
      } finally {
        progress.stop();
      }
    });
    return { wallets: keys.length, seconds: (performance.now() - began) / 1_000 };
  });
}

/** Describes the result of a comparison for the terminal. */
export function describeWalletsVerification({ wallets, mismatches, seconds }: WalletsVerification): string {
  const lines = mismatches.flatMap(({ workspaceId, customerId, creditType, differences }) =>
    differences.map((difference) => `${creditType} of ${customerId} in ${workspaceId}: ${difference}`),
  );
  const found =
    mismatches.length === 0
      ? 'nothing differs'
      : `differences in ${countWithNoun(mismatches.length, 'wallet')}`;
  return [
    ...lines,
    `${countWithNoun(wallets, 'wallet')} compared in ${durationText(seconds)}: ${found}`,
    '',
  ].join('\n');
}

/** Describes the result of a rebuild for the terminal. */
export function describeWalletsRebuild({ wallets, seconds }: WalletsRebuildResult): string {
  return `${countWithNoun(wallets, 'wallet')} rebuilt in ${durationText(seconds)}\n`;
}
