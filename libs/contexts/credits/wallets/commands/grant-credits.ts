import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Customers } from '#libs/contexts/customers';
import { deriveId, deriveUuid } from '#libs/kernel/core';
import { AggregateStore, idFor, StreamReader, type CommandContext } from '#libs/kernel/event-store';
import { CreditTypes } from '../../credit-types/credit-types.js';
import type { WalletEvent } from '../events.js';
import {
  grantedBlock,
  walletDecider,
  walletId,
  type CreditGrant,
  type WalletBlock,
  type WalletKey,
} from '../wallet.js';

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
    const [, terms] = await Promise.all([
      this.customers.require(workspaceId, wallet.customerId),
      this.creditTypes.require(workspaceId, wallet.creditType),
    ]);
    const id = walletId(workspaceId, wallet);
    const key = idempotencyKey === undefined ? undefined : ['grant', id, idempotencyKey];
    const blockId = key ? deriveId('blk', ...key) : idFor(context, 'blk');
    // The stream knows the command ids of all its events, so a key is recognised for ever.
    const keyed = key ? { ...context, commandId: deriveUuid(...key), mayRepeat: true } : context;
    const command = { type: 'GrantCredits', ...wallet, at, blockId, grant, terms } as const;
    const { events } = await this.aggregates.execute(walletDecider, id, keyed, command);
    const [event] = events;
    return event?.type === 'CreditsGranted' && !keyed.mayRepeat
      ? grantedBlock(event.data)
      : this.granted(id, blockId);
  }

  /** Returns the block as the stream has it. Of two requests with one key, the first decides its fields. */
  private async granted(id: string, blockId: string): Promise<WalletBlock> {
    const events = (await this.streams.read(`${walletDecider.category}-${id}`)) as unknown as WalletEvent[];
    for (const event of events)
      if (event.type === 'CreditsGranted' && event.data.blockId === blockId) return grantedBlock(event.data);
    throw new Error(`The stream of the wallet ${id} has no grant of ${blockId}`);
  }
}
