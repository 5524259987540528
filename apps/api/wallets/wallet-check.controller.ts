import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { balanceAt, CreditCostDirectory, requiredCredits, WalletReader } from '#libs/contexts/credits';
import type { Principal } from '#libs/contexts/identity';
import { Decimal, decimalString, jsonNumber, NotFound } from '#libs/kernel/core';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CustomerDirectory } from '#libs/usage';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { WalletCheckQuery, WalletCheckView } from './wallet-check.dto.js';

@ApiTags('Wallets')
@Controller('v1/wallets/check')
export class WalletCheckController {
  constructor(
    private readonly clock: WorkspaceClock,
    private readonly customers: CustomerDirectory,
    private readonly costs: CreditCostDirectory,
    private readonly wallets: WalletReader,
  ) {}

  @Get()
  @RequiresPermission('credits:read')
  @ApiOperation({
    summary: "Check whether a customer's credits cover a planned usage",
    description:
      'The balance includes every usage event that was accepted before the check. A check reserves no credits. ' +
      'If several checks succeed at once, the usage events that arrive first get the balance. Without `quantity` and `amount`, the answer says whether any credits are left.',
  })
  @ApiOkResponse({ type: WalletCheckView })
  async check(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() query: WalletCheckQuery,
  ): Promise<WalletCheckView> {
    const { customerId, ...request } = query;
    const [now, missing, rules] = await Promise.all([
      this.clock.now(workspaceId),
      this.customers.findMissingIds(workspaceId, new Set([customerId])),
      this.costs.costsOf(workspaceId),
    ]);
    if (missing.size > 0) throw NotFound.of('customer', customerId);
    const { type, required } = requiredCredits(rules, request, now);
    const { creditType, overage } = type;
    const wallet = await this.wallets.read({ workspaceId, customerId, creditType });
    const balance = new Decimal(balanceAt(wallet, now));
    const covered = required === null ? balance.gt(0) : balance.gte(required);
    return {
      customerId,
      creditType,
      allowed: covered || overage === 'allow',
      covered,
      overage,
      balance: jsonNumber(decimalString(balance)),
      required: required === null ? null : jsonNumber(required),
    };
  }
}
