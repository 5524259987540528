import { storedTranslations } from '#libs/kernel/core';
import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ChangeCreditType, CreateCreditType, presentCreditType } from '#libs/contexts/credits';
import type { Principal } from '#libs/contexts/identity';
import type { CommandContext } from '#libs/kernel/event-store';
import { CreditTypeQueries } from '#projections/credit-types';
import { MayNeedApproval } from '../approvals/may-need-approval.js';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, readPage, PageQuery } from '../http/index.js';
import {
  CreateCreditTypeBody,
  CreditTypeList,
  CreditTypeView,
  UpdateCreditTypeBody,
} from './credit-type.dto.js';

export const CREDIT_TYPE_PARAM = {
  name: 'type',
  description: 'The id of the credit type.',
  example: 'ai-credits',
} as const;

@ApiTags('Credit types')
@Controller('v1/credit-types')
export class CreditTypesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly creditTypes: CreditTypeQueries,
  ) {}

  @Post()
  @RequiresPermission('catalog:write')
  @ApiOperation({
    summary: 'Create a credit type',
    description:
      'Rates define the cost of usage in credits, and allowances define the credits that plans include. Add rates and allowances after ' +
      'the credit type.',
  })
  @ApiCreatedResponse({ type: CreditTypeView })
  async create(
    @Context() context: CommandContext,
    @Body() body: CreateCreditTypeBody,
  ): Promise<CreditTypeView> {
    const { type, overage = 'block', overagePrice = null, expiresAfterDays = null, ...given } = body;
    const { nameTranslations, ...details } = given;
    const creditType = {
      ...details,
      overage,
      overagePrice,
      expiresAfterDays,
      ...storedTranslations(nameTranslations),
    };
    return presentCreditType(await this.commands.execute(new CreateCreditType(context, type, creditType)));
  }

  @Get()
  @RequiresPermission('catalog:read')
  @ApiOperation({
    summary: 'List credit types, oldest first',
    description:
      'Each credit type has the price of one credit, its currency, and what happens to usage without credits (`overage`).',
  })
  @ApiOkResponse({ type: CreditTypeList })
  async list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() page: PageQuery,
  ): Promise<CreditTypeList> {
    return readPage(
      page,
      this.creditTypes.listOrder,
      (part) => this.creditTypes.list(workspaceId, part),
      ({ shown }) => presentCreditType(shown),
    );
  }

  @Get(':type')
  @RequiresPermission('catalog:read')
  @ApiParam(CREDIT_TYPE_PARAM)
  @ApiOperation({
    summary: 'Get a credit type',
    description:
      'The response has the price of one credit, its currency, and what happens to usage without credits (`overage`).',
  })
  @ApiOkResponse({ type: CreditTypeView })
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Param('type') type: string,
  ): Promise<CreditTypeView> {
    return presentCreditType(await this.creditTypes.get(workspaceId, type));
  }

  @Patch(':type')
  @RequiresPermission('catalog:write')
  @MayNeedApproval('price.lower')
  @ApiParam(CREDIT_TYPE_PARAM)
  @ApiOperation({
    summary: 'Change the given fields of a credit type',
    description:
      'New prices apply to later purchases, and to overage that is invoiced after the change. Credits that were granted or bought before ' +
      'the change keep their price and their expiry.',
  })
  @ApiOkResponse({ type: CreditTypeView })
  async update(
    @Context() context: CommandContext,
    @Param('type') creditType: string,
    @Body() { nameTranslations: names, ...others }: UpdateCreditTypeBody,
  ): Promise<CreditTypeView> {
    const changes = { ...others, nameTranslations: names === null ? {} : names };
    const change = { type: 'UpdateCreditType', creditType, changes } as const;
    return presentCreditType(await this.commands.execute(new ChangeCreditType(context, change)));
  }
}
