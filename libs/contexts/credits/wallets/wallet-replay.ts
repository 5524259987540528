import { compareTexts, type DecimalString, type Instant } from '#libs/kernel/core';
import type { RecordedEvent } from '#libs/kernel/domain';
import type { Queryable } from '#libs/kernel/postgres';
import type { ClockReading } from '#libs/kernel/workspaces';
import { sumChargesInLog, foldWalletEvents, isWalletEvent, type ChargeSelection } from './wallet-history.js';
import { balanceAt, subtractDraws, type Wallet } from './wallet.js';

/** The balance that the API returned for a wallet at a past moment. */
export interface ReplayedBalance {
  readonly customerId: string;
  readonly creditType: string;
  readonly balance: DecimalString;
}

interface ReplayedWallet {
  /**
   * The state of the wallet after its last event at or before the moment. Undefined if all events of the wallet are later than the moment.
   */
  past: Wallet | undefined;
  /** The state of the wallet after its newest event. */
  newest: Wallet;
  /**
   * Usage can be recorded while the sandbox's clock is ahead of real time. `aheadFrom` is the last position of the usage log before the
   * first such usage. Usage after this position arrived after the moment. Null if there is no such usage.
   */
  aheadFrom: string | null;
}

/**
 * Computes the balances of a workspace's wallets at a past moment, from their events and the usage log. An event is included if the time of
 * the event is at or before the moment. Usage is included if it had arrived by the moment, although its event in the wallet's stream is
 * written up to about a second later.
 */
export class WalletReplay {
  private readonly wallets = new Map<string, ReplayedWallet>();

  /**
   * `moment` is the last instant that is included. If `moment` is undefined, all observed events are included. If `customerId` is given,
   * only the wallets of that customer are computed.
   */
  constructor(
    private readonly workspaceId: string,
    private readonly moment: Instant | undefined,
    private readonly customerId?: string,
  ) {}

  /** Applies the next event of the workspace. Events that do not belong to a wallet are ignored. */
  applyEvent(event: RecordedEvent): void {
    if (!isWalletEvent(event)) return;
    const { stream, data, recordedAt } = event;
    if (this.customerId !== undefined && data.customerId !== this.customerId) return;
    const before = this.wallets.get(stream);
    const newest = foldWalletEvents(before?.newest, [event])!;
    if (this.moment === undefined || data.at <= this.moment) {
      this.wallets.set(stream, { past: newest, newest, aheadFrom: null });
      return;
    }
    const isAhead = event.type === 'CreditsDrawnDown' && data.at > recordedAt.toISOString();
    const aheadFrom = before?.aheadFrom ?? (isAhead ? event.data.usage.after : null);
    this.wallets.set(stream, { past: before?.past, newest, aheadFrom });
  }

  /** Tells whether no wallet was found. */
  get isEmpty(): boolean {
    return this.wallets.size === 0;
  }

  /**
   * Returns the balances at an instant, computed only from the events of wallets. Usage that no event of a wallet has recorded yet is not
   * subtracted.
   */
  balancesFromEvents(at: Instant): ReplayedBalance[] {
    return this.present(at, (wallet) => wallet.past);
  }

  /**
   * Returns the balances at an instant, computed from the newest events and all stored usage. Use `currentBalances` if the moment is now or
   * in the future.
   */
  async currentBalances(db: Queryable, at: Instant): Promise<ReplayedBalance[]> {
    return this.withUsage(db, at, ({ newest }) => ({ state: newest, charges: {} }));
  }

  /**
   * Returns the balances at a past instant, with the usage that had arrived by the real time `arrivedBy`. `clock` is the clock of a
   * sandbox. Usage that arrives while the sandbox's clock stands still counts at the clock's time. If `clock` is undefined, the workspace
   * uses real time.
   */
  async pastBalances(
    db: Queryable,
    at: Instant,
    arrivedBy: Instant,
    clock: ClockReading | undefined,
  ): Promise<ReplayedBalance[]> {
    return this.withUsage(db, at, ({ past, newest, aheadFrom }) => {
      const unrecordedFrom = clock?.frozen ? newest.drawnUpTo : null;
      const through = clock === undefined ? null : (aheadFrom ?? unrecordedFrom);
      return { state: past, charges: { arrivedBy, ...(through === null ? {} : { through }) } };
    });
  }

  private async withUsage(
    db: Queryable,
    at: Instant,
    usageOf: (wallet: ReplayedWallet) => { state: Wallet | undefined; charges: ChargeSelection },
  ): Promise<ReplayedBalance[]> {
    const states = new Map<ReplayedWallet, Wallet>();
    for (const wallet of this.wallets.values()) {
      const { state, charges } = usageOf(wallet);
      if (state === undefined) continue;
      const { customerId, creditType, drawnUpTo, blocks } = state;
      const key = { workspaceId: this.workspaceId, customerId, creditType };
      const unrecorded = await sumChargesInLog(db, key, drawnUpTo, [], charges);
      states.set(wallet, { ...state, blocks: subtractDraws(blocks, unrecorded.get(0) ?? []) });
    }
    return this.present(at, (wallet) => states.get(wallet));
  }

  private present(at: Instant, stateOf: (wallet: ReplayedWallet) => Wallet | undefined): ReplayedBalance[] {
    return [...this.wallets.values()]
      .flatMap((wallet) => stateOf(wallet) ?? [])
      .map((state) => ({
        customerId: state.customerId,
        creditType: state.creditType,
        balance: balanceAt(state, at),
      }))
      .sort((a, b) => compareTexts(a.customerId, b.customerId) || compareTexts(a.creditType, b.creditType));
  }
}
