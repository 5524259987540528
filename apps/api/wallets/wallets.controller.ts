import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { firstMomentAfter } from '#libs/kernel/core';
import { presentPurchase, PurchaseCredits, VoidCreditBlock } from '#libs/contexts/credit-purchases';
import {
  ChangeAutoTopUp,
  DEFAULT_BLOCK_PRIORITY,
  GrantCredits,
  presentAutoTopUp,
  presentBlock,
  presentWalletEntry,
  presentWallet,
  requireAutoTopUp,
  VoidCredits,
  WalletReader,
  type Wallet,
} from '#libs/contexts/credits';
import type { Principal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CreditTypeQueries } from '#projections/credit-types';
import { CustomerQueries } from '#projections/customers';
import { WalletQueries } from '#projections/wallets';
import { MayNeedApproval } from '../approvals/may-need-approval.js';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, PageQuery } from '../http/index.js';
import { AutoTopUpBody, AutoTopUpView } from './auto-top-up.dto.js';
import { BlockView, GrantCreditsBody, VoidBlockBody, VoidCreditsBody } from './block.dto.js';
import { PurchaseCreditsBody, PurchaseView } from './purchase.dto.js';
import { WalletList, WalletView } from './wallet.dto.js';
import { WalletLedgerList, WalletLedgerQuery } from './wallet-ledger.dto.js';

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
    private readonly wallets: WalletReader,
    private readonly ledgers: WalletQueries,
  ) {}

  @Get()
  @RequiresPermission('credits:read')
  @ApiOperation({
    summary: "List a customer's wallets, one for each credit type of the workspace",
    description: 'A wallet without credits is listed too, with a balance of 0.',
  })
  @ApiOkResponse({ type: WalletList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Query() page: PageQuery,
  ): Promise<WalletList> {
    await this.customers.get(workspaceId, customerId);
    const now = await this.clock.now(workspaceId);
    const { data, ...more } = await readPage(
      page,
      this.creditTypes.listOrder,
      (part) => this.creditTypes.list(workspaceId, part),
      ({ shown }) => shown.creditType,
    );
    const wallets = await this.wallets.readByCreditTypes(workspaceId, customerId, data);
    return { data: wallets.map((wallet) => presentWallet(wallet, now)), ...more };
  }

  @Get(':type')
  @RequiresPermission('credits:read')
  @ApiParam(TYPE_PARAM)
  @ApiOperation({
    summary: "Get a customer's wallet of a credit type",
    description:
      'The response has the balance in credits, and the blocks with credits left, in the order in which usage takes from ' +
      'them.',
  })
  @ApiOkResponse({ type: WalletView })
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
  ): Promise<WalletView> {
    await this.requireBoth(workspaceId, customerId, creditType);
    const wallet = await this.wallets.read({ workspaceId, customerId, creditType });
    return presentWallet(wallet, await this.clock.now(workspaceId));
  }

  @Post(':type/grants')
  @RequiresPermission('credits:write')
  @ApiParam(TYPE_PARAM)
  @ApiOperation({
    summary: 'Grant credits to a customer, without a charge',
    description:
      'The granted credits form a block with its own priority and expiry. Usage takes credits from the blocks with the lowest priority number first. ' +
      'If blocks have the same priority, those that expire first come first, then free credits before purchased credits.',
  })
  @ApiCreatedResponse({ type: BlockView })
  @MayNeedApproval('credit.grant')
  async grant(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
    @Body() body: GrantCreditsBody,
  ): Promise<BlockView> {
    const { idempotencyKey, source = 'grant', priority = DEFAULT_BLOCK_PRIORITY, ...fields } = body;
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

  @Post(':type/purchases')
  @RequiresPermission('credits:write')
  @ApiParam(TYPE_PARAM)
  @ApiOperation({
    summary: 'Sell credits to a customer',
    description:
      'Creates a `credit_purchase` invoice. The credits can be used as soon as the invoice is paid. With `charge`, the card on file is ' +
      'charged at once. If the charge is declined, the answer is still 201: the invoice stays open, `status` is `pending_payment`, and ' +
      '`payment` says why. The credits become active when the invoice is paid later.',
  })
  @ApiCreatedResponse({ type: PurchaseView })
  @MayNeedApproval('credit.grant')
  async purchase(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
    @Body() body: PurchaseCreditsBody,
  ): Promise<PurchaseView> {
    const { credits: amount, collection = 'charge', description = null, idempotencyKey, ...fields } = body;
    const wallet = { customerId, creditType };
    const purchase = { ...fields, amount, collection, description };
    const command = new PurchaseCredits(context, wallet, purchase, idempotencyKey);
    return presentPurchase(wallet, await this.commands.execute(command));
  }

  @Get(':type/auto-top-up')
  @RequiresPermission('credits:read')
  @ApiParam(TYPE_PARAM)
  @ApiOperation({
    summary: 'Get the automatic top-up of a wallet',
    description: 'A wallet without an automatic top-up is answered with 404.',
  })
  @ApiOkResponse({ type: AutoTopUpView })
  async autoTopUp(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
  ): Promise<AutoTopUpView> {
    await this.creditTypes.get(workspaceId, creditType);
    const wallet = await this.wallets.read({ workspaceId, customerId, creditType });
    return this.presentAutoTopUp(workspaceId, wallet);
  }

  @Put(':type/auto-top-up')
  @RequiresPermission('credits:write')
  @ApiParam(TYPE_PARAM)
  @ApiOperation({
    summary: 'Set the automatic top-up of a wallet',
    description:
      'A setting that is left out keeps its value, or gets its default the first time. Credits are bought with the card on file whenever ' +
      'the balance is at or below the threshold, immediately if this is already the case. ' +
      'Nothing is bought while a purchase of the wallet is unpaid, unless its invoice was written off. A declined charge is tried again with a new card, or in the next ' +
      'month. If the invoice of a top-up is voided or written off, the next top-up waits for the next month. The customer needs no card yet. Without a card, ' +
      '`paymentMethodId` is null, and the invoice of a top-up stays open until there is a card or the customer pays it.',
  })
  @ApiOkResponse({ type: AutoTopUpView })
  @MayNeedApproval('credit.grant')
  async setAutoTopUp(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
    @Body() body: AutoTopUpBody,
  ): Promise<AutoTopUpView> {
    const command = new ChangeAutoTopUp(context, { customerId, creditType }, body);
    return this.presentAutoTopUp(context.workspaceId, await this.commands.execute(command));
  }

  @Delete(':type/auto-top-up')
  @HttpCode(204)
  @RequiresPermission('credits:write')
  @ApiParam(TYPE_PARAM)
  @ApiOperation({
    summary: 'Turn the automatic top-up of a wallet off',
    description:
      'Credits that were bought stay. If the top-up is set again, its settings begin with their defaults.',
  })
  @ApiNoContentResponse()
  async removeAutoTopUp(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
  ): Promise<void> {
    await this.commands.execute(new ChangeAutoTopUp(context, { customerId, creditType }, null));
  }

  @Post(':type/blocks/:blockId/void')
  @HttpCode(200)
  @RequiresPermission('credits:write')
  @ApiParam(TYPE_PARAM)
  @ApiParam({
    name: 'blockId',
    description: 'The id of the block.',
    example: 'blk_01JD0000000000000000000000',
  })
  @ApiOperation({
    summary: 'Void the remaining credits of a block; credits that were already used do not change',
    description:
      'If the block is not paid, its invoice is voided, and a second request changes nothing. A second request for any other block is ' +
      'refused with 404 `block_not_found`, because the block has no credits left. Refused with `payment_in_progress` or `purchase_paid` ' +
      'if the invoice is being paid at this moment. Refused with `invoice_partly_paid` if the invoice of an unpaid block is partly paid. ' +
      'With `creditNote`, refused with the errors of a credit note if the invoice refuses it. No credits are taken then.',
  })
  @ApiOkResponse({ type: WalletView })
  @MayNeedApproval('invoice.void', 'invoice.credit_note')
  async voidBlock(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
    @Param('blockId') blockId: string,
    @Body() { reason = null, creditNote = false }: VoidBlockBody,
  ): Promise<WalletView> {
    const options = { reason, creditNote };
    const command = new VoidCreditBlock(context, { customerId, creditType }, blockId, options);
    return presentWallet(await this.commands.execute(command), context.now);
  }

  @Post(':type/void')
  @HttpCode(200)
  @RequiresPermission('credits:write')
  @ApiParam(TYPE_PARAM)
  @ApiOperation({
    summary: 'Void a number of credits, in the order in which usage would take them',
    description: 'Refused with `insufficient_credits` if the balance is smaller. Nothing is voided then.',
  })
  @ApiOkResponse({ type: WalletView })
  async voidCredits(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
    @Body() { amount, reason = null }: VoidCreditsBody,
  ): Promise<WalletView> {
    const command = new VoidCredits(context, { customerId, creditType }, { amount }, reason);
    return presentWallet((await this.commands.execute(command)).wallet, context.now);
  }

  @Get(':type/ledger')
  @RequiresPermission('credits:read')
  @ApiParam(TYPE_PARAM)
  @ApiOperation({
    summary: 'List the changes of a wallet, newest first',
    description:
      'Each entry has the change in credits, the balance after it, and the blocks that it changed.',
  })
  @ApiOkResponse({ type: WalletLedgerList })
  async ledger(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') customerId: string,
    @Param('type') creditType: string,
    @Query() { type, since, until, ...page }: WalletLedgerQuery,
  ): Promise<WalletLedgerList> {
    await this.requireBoth(workspaceId, customerId, creditType);
    const filter = { customerId, creditType, type, from: since, to: firstMomentAfter(until) };
    return readPage(
      page,
      this.ledgers.listOrder,
      (part) => this.ledgers.ledgerEntries(workspaceId, filter, part),
      presentWalletEntry,
    );
  }

  /** Converts the automatic top-up of a wallet to its form in the API. Throws NotFound if the customer or the top-up does not exist. */
  private async presentAutoTopUp(workspaceId: string, wallet: Wallet): Promise<AutoTopUpView> {
    const { state } = await this.customers.get(workspaceId, wallet.customerId);
    return {
      ...presentAutoTopUp(wallet, requireAutoTopUp(wallet)),
      paymentMethodId: state.defaultPaymentMethodId,
    };
  }

  /** Refuses a customer or a credit type that is not in the workspace. */
  private async requireBoth(workspaceId: string, customerId: string, creditType: string): Promise<void> {
    await Promise.all([
      this.customers.get(workspaceId, customerId),
      this.creditTypes.get(workspaceId, creditType),
    ]);
  }
}
