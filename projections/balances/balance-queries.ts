import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import type { ListOrder, ListPart } from '#libs/kernel/core';
import { BalanceRow } from './balance-row.js';
import { BalanceTransactionRow } from './balance-transaction-row.js';

@Injectable()
export class BalanceQueries {
  readonly listOrder: ListOrder<BalanceTransactionRow> = {
    list: 'balance_transactions',
    keyParts: ['number'],
    keyOf: ({ position }) => [position],
  };

  constructor(
    @InjectRepository(BalanceRow) private readonly balances: Repository<BalanceRow>,
    @InjectRepository(BalanceTransactionRow)
    private readonly transactions: Repository<BalanceTransactionRow>,
  ) {}

  /** Returns the customer's balances in order of currency. Returns an empty list if the customer never had a balance. */
  async balancesOf(workspaceId: string, customerId: string): Promise<BalanceRow[]> {
    return this.balances.find({ where: { workspaceId, customerId }, order: { currency: 'ASC' } });
  }

  /** Returns a page of the changes of the customer's balances, newest first. */
  async transactionsOf(
    workspaceId: string,
    { customerId, currency }: { customerId: string; currency?: string },
    { limit, offset, after }: ListPart,
  ): Promise<BalanceTransactionRow[]> {
    return this.transactions.find({
      where: {
        workspaceId,
        customerId,
        ...(currency ? { currency } : {}),
        ...(after ? { position: LessThan(after[0]) } : {}),
      },
      order: { position: 'DESC' },
      take: limit,
      skip: offset,
    });
  }
}
