import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  DEFAULT_PRIORITY,
  GrantCredits,
  presentBlock,
  presentLedgerEntry,
  presentWallet,
  VoidCredits,
  WalletStore,
} from '#libs/contexts/credits';
import type { Principal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CreditTypeQueries } from '#projections/credit-types';
import { CustomerQueries } from '#projections/customers';
import { WalletQueries } from '#projections/wallets';
import { CurrentPrincipal, Requires } from '../http/auth/index.js';
import { Context, listOf, PageQuery } from '../http/index.js';
import {
  BlockView,
  GrantCreditsBody,
  WalletLedgerList,
  WalletLedgerQuery,
  VoidBlockBody,
  VoidCreditsBody,
  WalletList,
  WalletView,
} from './wallet.dto.js';

const TYPE_PARAM = {
  name: 'type',
  description: 'The id of the credit type.',
  example: 'ai-credits',
} as const;

@ApiTags('Wallets')
@Controller('v1/customers/:id/wallets')
export class WalletsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly clock: WorkspaceClock,
    private readonly customers: CustomerQueries,
    private readonly creditTypes: CreditTypeQueries,
    private readonly wallets: WalletStore,
    private readonly ledgers: WalletQueries,
  ) {}

  @Get()
  @Requires('credits:read')
  @ApiOperation({
    summary: "List a customer's wallets, one for each credit type of the workspace",
    description: 'A wallet without credits is listed too, with a balance of 0.',
  })
  @ApiOkResponse({ type: WalletList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Query() page: PageQuery,
  ) {
    await this.customers.get(workspaceId, customerId);
    const now = await this.clock.now(workspaceId);
    const { data, ...more } = await listOf(
      page,
      this.creditTypes.order,
      (part) => this.creditTypes.list(workspaceId, part),
      ({ shown }) => shown.creditType,
    );
    const wallets = await this.wallets.read(workspaceId, customerId, data);
    return { data: wallets.map((wallet) => presentWallet(wallet, now)), ...more };
  }

  @Get(':type')
  @Requires('credits:read')
  @ApiParam(TYPE_PARAM)
  @ApiOperation({ summary: "Get a customer's wallet of a credit type" })
  @ApiOkResponse({ type: WalletView })
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
  ) {
    await this.requireBoth(workspaceId, customerId, creditType);
    const [wallet] = await this.wallets.read(workspaceId, customerId, [creditType]);
    return presentWallet(wallet!, await this.clock.now(workspaceId));
  }

  @Post(':type/grants')
  @Requires('credits:write')
  @ApiParam(TYPE_PARAM)
  @ApiOperation({
    summary: 'Grant credits to a customer, without a charge',
    description:
      'The credits are a block with its own priority and expiry. Usage takes from blocks with a lower `priority` first, then from those ' +
      'that expire first, then from free credits before purchased ones.',
  })
  @ApiCreatedResponse({ type: BlockView })
  async grant(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
    @Body() body: GrantCreditsBody,
  ) {
    const { idempotencyKey, source = 'grant', priority = DEFAULT_PRIORITY, ...fields } = body;
    const { costBasis = null, description = null, ...times } = fields;
    const wallet = { customerId, creditType };
    const block = await this.commands.execute(
      new GrantCredits(
        context,
        wallet,
        { ...times, source, priority, costBasis, description },
        idempotencyKey,
      ),
    );
    return presentBlock(wallet, block, block.createdAt);
  }

  @Post(':type/blocks/:blockId/void')
  @HttpCode(200)
  @Requires('credits:write')
  @ApiParam(TYPE_PARAM)
  @ApiParam({
    name: 'blockId',
    description: 'The id of the block.',
    example: 'blk_01JD0000000000000000000000',
  })
  @ApiOperation({ summary: 'Void what is left of a block of credits; credits that were used stay used' })
  @ApiOkResponse({ type: WalletView })
  async voidBlock(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
    @Param('blockId') blockId: string,
    @Body() { reason = null }: VoidBlockBody,
  ) {
    const command = new VoidCredits(context, { customerId, creditType }, { blockId }, reason);
    return presentWallet(await this.commands.execute(command), context.now);
  }

  @Post(':type/void')
  @HttpCode(200)
  @Requires('credits:write')
  @ApiParam(TYPE_PARAM)
  @ApiOperation({
    summary: 'Void a number of credits, from the blocks that usage would take first',
    description: 'Refused with `insufficient_credits` if the balance is smaller. Nothing is voided then.',
  })
  @ApiOkResponse({ type: WalletView })
  async voidCredits(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
    @Body() { amount, reason = null }: VoidCreditsBody,
  ) {
    const command = new VoidCredits(context, { customerId, creditType }, { amount }, reason);
    return presentWallet(await this.commands.execute(command), context.now);
  }

  @Get(':type/ledger')
  @Requires('credits:read')
  @ApiParam(TYPE_PARAM)
  @ApiOperation({ summary: 'List the changes of a wallet, newest first' })
  @ApiOkResponse({ type: WalletLedgerList })
  async ledger(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
    @Query() { type, from, to, ...page }: WalletLedgerQuery,
  ) {
    await this.requireBoth(workspaceId, customerId, creditType);
    const filter = { customerId, creditType, type, from, to };
    return listOf(
      page,
      this.ledgers.order,
      (part) => this.ledgers.ledger(workspaceId, filter, part),
      presentLedgerEntry,
    );
  }

  /** Refuses a customer or a credit type that is not in the workspace. */
  private async requireBoth(workspaceId: string, customerId: string, creditType: string): Promise<void> {
    await Promise.all([
      this.customers.get(workspaceId, customerId),
      this.creditTypes.get(workspaceId, creditType),
    ]);
  }
}
