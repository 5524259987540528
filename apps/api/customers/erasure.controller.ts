import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Customers } from '#libs/contexts/customers';
import { Erasures, presentErasure, RequestErasure } from '#libs/contexts/privacy';
import { Conflict, NotFound } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { RequiresPermission } from '../http/auth/index.js';
import { Context } from '../http/index.js';
import { DeletionChecks } from './deletion-checks.js';
import { EraseCustomerBody, ErasureView } from './erasure.dto.js';

@ApiTags('Customers')
@Controller('v1/customers')
export class ErasureController {
  constructor(
    private readonly commands: CommandBus,
    private readonly customers: Customers,
    private readonly erasures: Erasures,
    private readonly checks: DeletionChecks,
  ) {}

  @Post(':id/erase')
  @HttpCode(202)
  @RequiresPermission('privacy:write')
  @ApiOperation({
    summary: "Erase a customer's personal data, which cannot be undone",
    description:
      'The request is refused with 409 (`customer_not_settled`) while the customer has subscriptions that have not ended, drafts, open ' +
      'invoices, a balance or credits. The error details name them. With `force`, the erasure first ends subscriptions, voids drafts and ' +
      'credits, and voids or writes off open invoices. A balance stays. The customer is deleted. Invoices and ledger entries keep their ' +
      'numbers and amounts. A repeated request changes nothing, also with another `force`, and returns the progress of the erasure.',
  })
  @ApiAcceptedResponse({ type: ErasureView })
  async erase(
    @Context() context: CommandContext,
    @Param('id') customerId: string,
    @Body() { reason, force = false }: EraseCustomerBody,
  ): Promise<ErasureView> {
    const { workspaceId } = context;
    const known = await this.erasures.find(workspaceId, customerId);
    if (known) return presentErasure(known);
    if (!force) await this.requireSettled(workspaceId, customerId);
    return presentErasure(
      await this.commands.execute(new RequestErasure(context, customerId, reason, force)),
    );
  }

  private async requireSettled(workspaceId: string, customerId: string): Promise<void> {
    const customer = await this.customers.find(workspaceId, customerId);
    if (!customer) throw NotFound.of('customer', customerId);
    const blockers = await this.checks.blockersOf(workspaceId, customer);
    if (blockers.length === 0) return;
    throw new Conflict(
      'customer_not_settled',
      `${blockers.map(({ message }) => message).join('. ')}. With force: true, what can be settled is settled`,
      blockers.map(({ field, remainingItems: left }) => ({ field, message: left.join(', ') })),
    );
  }
}
