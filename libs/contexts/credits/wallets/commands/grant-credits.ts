import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Customers } from '#libs/contexts/customers';
import { addSeconds, deriveId, deriveUuid, InvalidRequest, type Instant } from '#libs/kernel/core';
import { AggregateStore, idFor, StreamReader, type CommandContext } from '#libs/kernel/event-store';
import { CreditTypes } from '../../credit-types/credit-types.js';
import type { GrantedBlock, WalletEvent } from '../events.js';
import { walletDecider, walletId, type WalletBlock, type WalletKey } from '../wallet.js';

const DAY_SECONDS = 86_400;

/** A grant as a client asks for it. Absent fields have the defaults of the credit type. */
export type CreditGrant = Pick<
  GrantedBlock,
  'amount' | 'source' | 'priority' | 'costBasis' | 'description'
> & {
  effectiveAt?: Instant | undefined;
  /** Null: the credits never expire. Absent: they expire after the days of the credit type. */
  expiresAt?: Instant | null | undefined;
  currency?: string | undefined;
};

/**
 * Grants credits to a customer, and returns the block as it was granted. A second grant with the same `idempotencyKey` in the wallet
 * returns the first block, whenever it comes. Throws NotFound for an unknown customer or credit type, and InvalidRequest for times or a
 * currency that do not fit.
 */
export class GrantCredits extends Command<WalletBlock> {
  constructor(
    readonly context: CommandContext,
    readonly wallet: WalletKey,
    readonly grant: CreditGrant,
    readonly idempotencyKey?: string,
  ) {
    super();
  }
}

@CommandHandler(GrantCredits)
export class GrantCreditsHandler implements ICommandHandler<GrantCredits> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly streams: StreamReader,
    private readonly customers: Customers,
    private readonly creditTypes: CreditTypes,
  ) {}

  async execute({ context, wallet, grant, idempotencyKey }: GrantCredits): Promise<WalletBlock> {
    const { workspaceId, now: at } = context;
    const [, creditType] = await Promise.all([
      this.customers.require(workspaceId, wallet.customerId),
      this.creditTypes.require(workspaceId, wallet.creditType),
    ]);
    const { currency = creditType.currency, effectiveAt = at, ...fields } = grant;
    if (currency !== creditType.currency)
      throw InvalidRequest.field(
        'currency',
        `must be ${creditType.currency}, the currency of the credit type`,
      );
    const { expiresAfterDays } = creditType;
    const expiresAt =
      grant.expiresAt !== undefined || expiresAfterDays === null
        ? (grant.expiresAt ?? null)
        : addSeconds(effectiveAt, expiresAfterDays * DAY_SECONDS);
    const id = walletId(workspaceId, wallet);
    const key = idempotencyKey === undefined ? undefined : ['grant', id, idempotencyKey];
    const blockId = key ? deriveId('blk', ...key) : idFor(context, 'blk');
    const block: GrantedBlock = { ...fields, blockId, currency, effectiveAt, expiresAt };
    await this.aggregates.execute(
      walletDecider,
      id,
      // The stream knows the command ids of all its events, so a key is recognised for ever.
      key ? { ...context, commandId: deriveUuid(...key), mayRepeat: true } : context,
      { type: 'GrantCredits', ...wallet, at, block },
    );
    return key || context.mayRepeat
      ? this.granted(id, blockId)
      : { ...block, createdAt: at, remaining: block.amount };
  }

  /** Returns the block as the stream has it. Of two requests with one key, the first decides its fields. */
  private async granted(id: string, blockId: string): Promise<WalletBlock> {
    const events = (await this.streams.read(`${walletDecider.category}-${id}`)) as unknown as WalletEvent[];
    for (const event of events) {
      if (event.type !== 'CreditsGranted' || event.data.blockId !== blockId) continue;
      const { customerId: _, creditType: __, balance: ___, at, ...block } = event.data;
      return { ...block, createdAt: at, remaining: block.amount };
    }
    throw new Error(`The stream of the wallet ${id} has no grant of ${blockId}`);
  }
}
