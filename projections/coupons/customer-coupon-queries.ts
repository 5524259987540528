import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, Repository } from 'typeorm';
import type { CustomerCoupons } from '#libs/contexts/coupons';
import { CustomerCouponsRow } from './customer-coupons-row.js';

@Injectable()
export class CustomerCouponQueries {
  constructor(@InjectRepository(CustomerCouponsRow) private readonly rows: Repository<CustomerCouponsRow>) {}

  /** Returns all coupons that these customers have or had, by customer. Customers without coupons are omitted. */
  async couponsByCustomer(
    workspaceId: string,
    customerIds: readonly string[],
  ): Promise<Map<string, CustomerCoupons>> {
    const rows = await this.rows.findBy({ workspaceId, id: Any([...customerIds]) });
    return new Map(rows.map(({ id, state }) => [id, state]));
  }
}
