import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AmendmentPreviewer,
  AmendSubscription,
  UpdateSubscription,
  type AmendmentRequest,
} from '#libs/contexts/billing';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { presentAmendment } from '#libs/contexts/subscriptions';
import { SubscriptionQueries } from '#projections/subscriptions';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, pageInMemory, PageQuery, PERIOD_END } from '../http/index.js';
import {
  AmendmentList,
  AmendmentResultView,
  AmendmentView,
  AmendSubscriptionBody,
  MigrateSubscriptionBody,
  ScheduleAmendmentBody,
} from './amendment.dto.js';
import { presentAmendmentPreview, presentAmendmentResult } from './present-amendment.js';

@ApiTags('Subscriptions')
@Controller('v1/subscriptions/:id')
export class AmendmentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly amendments: AmendmentPreviewer,
    private readonly subscriptions: SubscriptionQueries,
  ) {}

  @Post('amend')
  @HttpCode(200)
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Change the plan, prices or quantities of a subscription now',
    description:
      'For the rest of the period, prepaid fees of the old terms are given back, and the fees of the new terms are charged. Charges in ' +
      'arrears that end with the change, including usage, are invoiced up to now. With `prorate: false`, fees are neither charged ' +
      'nor given back for a part of the period, but usage is still invoiced up to now. If more is given back than charged, the difference ' +
      "first reduces the unpaid invoices that charged the fees. The rest goes to the customer's balance. " +
      'If the change brings another billing interval, a new period of an active subscription starts now. Before the ' +
      'start, in a trial and in a pause, no periodic fee is charged or given back. The new terms then apply when the charged time begins.',
  })
  @ApiOkResponse({ type: AmendmentResultView })
  async amend(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Body() { prorate = true, preview = false, ...terms }: AmendSubscriptionBody,
  ): Promise<AmendmentResultView> {
    return this.change(context, id, preview, { kind: 'amend', terms, prorate, effectiveAt: null });
  }

  @Post('schedule-amendment')
  @HttpCode(200)
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Change the plan, prices or quantities of a subscription at a date, or at the end of the period',
    description:
      'A change at the end of the period replaces the renewal, so there is only one invoice. If a change is already scheduled for the ' +
      'same instant, the new change replaces it. The replaced change becomes `canceled`, and its `replacedBy` names the new change. If ' +
      'the end of the period moves, a change for the end of the period moves with it.',
  })
  @ApiOkResponse({ type: AmendmentResultView })
  async schedule(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Body() { effectiveAt = PERIOD_END, prorate = true, preview = false, ...terms }: ScheduleAmendmentBody,
  ): Promise<AmendmentResultView> {
    return this.change(context, id, preview, { kind: 'amend', terms, prorate, effectiveAt });
  }

  @Post('migrate')
  @HttpCode(200)
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary:
      'Move a subscription to the published version of its plan, with the newest versions of its prices',
    description:
      'The newest versions of the prices of the plan replace its present prices. Prices that were added to the subscription stay as they ' +
      'are, and prices that were removed from it stay away. A price keeps its quantity, and a price that takes the place of another gets it.',
  })
  @ApiOkResponse({ type: AmendmentResultView })
  async migrate(
    @Context() context: CommandContext,
    @Param('id') id: string,
    @Body() { effectiveAt, prorate = true, preview = false, priceMap }: MigrateSubscriptionBody,
  ): Promise<AmendmentResultView> {
    const terms = { priceMap };
    const request = { kind: 'migrate', terms, prorate, effectiveAt: effectiveAt ?? null } as const;
    return this.change(context, id, preview, request);
  }

  @Get('amendments')
  @RequiresPermission('subscriptions:read')
  @ApiOperation({
    summary: 'List the changes of a subscription, newest first',
    description: 'Changes that are scheduled, canceled or failed are included.',
  })
  @ApiOkResponse({ type: AmendmentList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('id') id: string,
    @Query() page: PageQuery,
  ): Promise<AmendmentList> {
    const subscription = await this.subscriptions.get(workspaceId, id);
    const rows = subscription.amendments.toReversed();
    return pageInMemory(
      page,
      { list: 'amendments', rows, idOf: ({ amendmentId }) => amendmentId },
      presentAmendment,
    );
  }

  @Post('amendments/:amendmentId/cancel')
  @HttpCode(200)
  @RequiresPermission('subscriptions:write')
  @ApiOperation({
    summary: 'Cancel a scheduled change',
    description: 'Only a change that has not taken effect can be canceled.',
  })
  @ApiOkResponse({ type: AmendmentView })
  async cancel(
    @Context() context: CommandContext,
    @Param('id') subscriptionId: string,
    @Param('amendmentId') amendmentId: string,
  ): Promise<AmendmentView> {
    const update = { type: 'CancelAmendment', subscriptionId, amendmentId } as const;
    const { amendments } = await this.commands.execute(new UpdateSubscription(context, update));
    return presentAmendment(amendments.find((amendment) => amendment.amendmentId === amendmentId)!);
  }

  private async change(
    context: CommandContext,
    subscriptionId: string,
    preview: boolean,
    request: AmendmentRequest,
  ): Promise<AmendmentResultView> {
    if (preview)
      return presentAmendmentPreview(
        await this.amendments.preview(context, subscriptionId, idFor(context, 'amd'), request),
      );
    return presentAmendmentResult(
      await this.commands.execute(new AmendSubscription(context, subscriptionId, request)),
    );
  }
}
