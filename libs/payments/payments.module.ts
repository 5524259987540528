import { Module } from '@nestjs/common';
import { PaymentGateways } from './payment-gateways.js';
import { SandboxGateway } from './sandbox-gateway.js';

@Module({ providers: [PaymentGateways, SandboxGateway], exports: [PaymentGateways] })
export class PaymentsModule {}
