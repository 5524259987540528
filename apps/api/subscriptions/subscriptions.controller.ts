import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ChangeSubscriptionDetails,
  CreateUsageInvoice,
  presentInvoicePreview,
  UpcomingInvoicePreviewer,
  UpdateSubscription,
} from '#libs/contexts/billing';
import { readBillingThresholds } from '#libs/contexts/catalog';
import { InvalidRequest } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { presentInvoice } from '#libs/contexts/invoicing';
import {
  CreateSubscription,
  DEFAULT_CANCEL_OPTIONS,
  presentSubscription,
  type SubscriptionUpdate,
} from '#libs/contexts/subscriptions';
import { SubscriptionQueries } from '#projections/subscriptions';
import { MayNeedApproval } from '../approvals/may-need-approval.js';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, PERIOD_END, WithoutCommand } from '../http/index.js';
import { InvoiceView } from '../invoices/invoice.dto.js';
import {
  CancelSubscriptionBody,
  CreateSubscriptionBody,
  PauseSubscriptionBody,
  ResumeSubscriptionBody,
  SubscriptionList,
  SubscriptionQuery,
  SubscriptionView,
  UpcomingInvoiceView,
  UpdateSubscriptionBody,
} from './subscription.dto.js';

@ApiTags('Subscriptions')
@Controller('v1/subscriptions')
export class SubscriptionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly subscriptions: SubscriptionQueries,
    private readonly upcoming: UpcomingInvoicePreviewer,
  ) {}

  @Post()
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Subscribe a customer to the published version of a plan, starting now or at another date',
    description:
      'The subscription keeps this version of the plan until it is migrated. Fees in advance are invoiced at the start of ' +
      'each period.',
  })
  @ApiCreatedResponse({ type: SubscriptionView })
  async create(
    @Context() context: CommandContext,
    @Body() body: CreateSubscriptionBody,
  ): Promise<SubscriptionView> {
    return presentSubscription(await this.commands.execute(new CreateSubscription(context, body)));
  }

  @Get()
  @RequiresPermission('subscriptions:read')
  @ApiOperation({
    summary: 'List subscriptions, oldest first',
    description:
      'The list can be filtered by status, customer and `externalId`. Canceled subscriptions are included.',
  })
  @ApiOkResponse({ type: SubscriptionList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: SubscriptionQuery,
  ): Promise<SubscriptionList> {
    const { status, customerId, externalId, ...page } = query;
    const filter = {
      ...(status ? { status } : {}),
      ...(customerId ? { customerId } : {}),
      ...(externalId ? { externalId } : {}),
    };
    return readPage(
      page,
      this.subscriptions.listOrder,
      (part) => this.subscriptions.list(workspaceId, part, filter),
      ({ shown }) => presentSubscription(shown),
    );
  }

  @Get(':id')
  @RequiresPermission('subscriptions:read')
  @ApiOperation({
    summary: 'Get a subscription',
    description:
      'The response has the plan with its version, the status, the present period, and the prices with their units.',
  })
  @ApiOkResponse({ type: SubscriptionView })
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
  ): Promise<SubscriptionView> {
    return presentSubscription(await this.subscriptions.get(workspaceId, id));
  }

  @Patch(':id')
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Change the metadata, the external id or the billing thresholds of a subscription',
    description:
      'A field that is left out keeps its value. Prices, units and dates are changed by `amend`, `pause` and `cancel`. A subscription that ' +
      'has ended cannot be changed. `409 external_id_in_use`: another subscription has the external id.',
  })
  @ApiOkResponse({ type: SubscriptionView })
  async change(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Body() { metadata, externalId, billingThresholds }: UpdateSubscriptionBody,
  ): Promise<SubscriptionView> {
    const details = {
      metadata: metadata === null ? {} : metadata,
      externalId,
      billingThresholds:
        billingThresholds === undefined ? undefined : readBillingThresholds(billingThresholds),
    };
    return presentSubscription(
      await this.commands.execute(new ChangeSubscriptionDetails(context, id, details)),
    );
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Cancel a subscription at the end of its current period, now, or at a date',
    description:
      'The charges in arrears are invoiced: usage, and fees up to the end of the subscription. The unused part of prepaid fees is given ' +
      'back. At the end of a period, only fees with longer periods have an unused part. `credit` and `finalInvoice` change that. The end ' +
      'of the period can move: a change of the billing interval, or the end of a pause, starts a new period. A cancellation at the end of ' +
      'the period then moves with it; a cancellation at a date does not. A subscription that is paused or has not started has no ' +
      'period, so this subscription ends at once, unless `cancelAt` is given. A newer cancellation replaces `credit` and ' +
      '`finalInvoice` of an earlier cancellation; a field that is left out has its default.',
  })
  @ApiOkResponse({ type: SubscriptionView })
  @MayNeedApproval('subscription.cancel')
  async cancel(
    @Context() context: CommandContext,
    @Param('id') subscriptionId: string,
    @Body()
    {
      immediately = false,
      cancelAt,
      credit = DEFAULT_CANCEL_OPTIONS.credit,
      finalInvoice = DEFAULT_CANCEL_OPTIONS.finalInvoice,
    }: CancelSubscriptionBody,
  ): Promise<SubscriptionView> {
    if (immediately && cancelAt !== undefined)
      throw InvalidRequest.field('cancelAt', 'must be left out if immediately is true');
    const when = immediately ? 'now' : (cancelAt ?? PERIOD_END);
    const options = { credit, finalInvoice };
    return this.update(context, { type: 'CancelSubscription', subscriptionId, when, options });
  }

  @Post(':id/uncancel')
  @HttpCode(200)
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Withdraw a scheduled cancellation',
    description: 'Without a scheduled cancellation, the request is refused with `not_canceling`.',
  })
  @ApiOkResponse({ type: SubscriptionView })
  async uncancel(
    @Context() context: CommandContext,
    @Param('id') subscriptionId: string,
  ): Promise<SubscriptionView> {
    return this.update(context, { type: 'WithdrawCancellation', subscriptionId });
  }

  @Post(':id/pause')
  @HttpCode(200)
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Pause a subscription, now or at a date',
    description:
      'Charges in arrears are invoiced up to the pause, and the unused part of prepaid fees is given back. Nothing is charged during the pause, ' +
      'not even usage. The only exception is a one-time price that a change adds during the pause. A trial keeps its remaining time. A ' +
      'subscription that has not started cannot be paused.',
  })
  @ApiOkResponse({ type: SubscriptionView })
  @MayNeedApproval('subscription.pause')
  async pause(
    @Context() context: CommandContext,
    @Param('id') subscriptionId: string,
    @Body() { effectiveAt, resumesAt }: PauseSubscriptionBody,
  ): Promise<SubscriptionView> {
    const update = { pauseAt: effectiveAt ?? null, resumeAt: resumesAt ?? null };
    return this.update(context, { type: 'PauseSubscription', subscriptionId, ...update });
  }

  @Post(':id/resume')
  @HttpCode(200)
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Resume a paused subscription, now or at a date, or withdraw a planned pause',
    description:
      'When the subscription resumes, a new period begins, and its charges in advance are invoiced. If a trial was paused before its end, ' +
      'the rest of the trial begins instead, and nothing is invoiced. If the pause began at the end of the trial, one-time prices are ' +
      'invoiced too. To withdraw a planned pause, leave `effectiveAt` out.',
  })
  @ApiOkResponse({ type: SubscriptionView })
  async resume(
    @Context() context: CommandContext,
    @Param('id') subscriptionId: string,
    @Body() { effectiveAt }: ResumeSubscriptionBody,
  ): Promise<SubscriptionView> {
    const resumeAt = effectiveAt ?? null;
    return this.update(context, { type: 'ResumeSubscription', subscriptionId, resumeAt });
  }

  @Post(':id/invoices/compute')
  @HttpCode(200)
  @WithoutCommand()
  @RequiresPermission('subscriptions:read')
  @ApiOperation({
    summary: 'Preview the next invoice of a subscription with the usage so far; nothing is changed',
    description:
      "If `invoiceGrouping` is `customer`, the preview also has the lines of the customer's other subscriptions that the invoice will bill.",
  })
  @ApiOkResponse({ type: UpcomingInvoiceView })
  async compute(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
  ): Promise<UpcomingInvoiceView> {
    return presentInvoicePreview(await this.upcoming.preview(workspaceId, id));
  }

  @Post(':id/invoices')
  @RequiresPermission('invoices:write')
  @ApiOperation({
    summary: 'Invoice the usage of the current period so far',
    description:
      'The invoice at the end of the period does not bill the same usage again. Only usage of a `count` or a `sum` metric with a price ' +
      'per unit can be billed in parts. Other usage and fees wait for the end of the period. Overage of prepaid credits and late usage are ' +
      'billed too, as the preview of the next invoice shows them. An invoice that opens at once is answered as `open`, with its number.',
  })
  @ApiCreatedResponse({ type: InvoiceView })
  async invoice(@Context() context: CommandContext, @Param('id') id: string): Promise<InvoiceView> {
    return presentInvoice(await this.commands.execute(new CreateUsageInvoice(context, id)));
  }

  private async update(context: CommandContext, update: SubscriptionUpdate): Promise<SubscriptionView> {
    return presentSubscription(await this.commands.execute(new UpdateSubscription(context, update)));
  }
}
