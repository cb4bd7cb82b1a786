// The whole system with its people, and a browser.
import type { Browser } from 'playwright-core';
import { startScene } from '#test/support/console/scene.ts';
import { type SignedIn, signIn } from '#test/support/console/visitor.ts';
import type { Hooks } from '#test/support/hooks.ts';
import { startBrowser } from '#test/support/system/browser.ts';

export interface ConsoleSite {
  readonly browser: Browser;
  readonly gateway: string;
  readonly scene: Awaited<ReturnType<typeof startScene>>;
  readonly people: Readonly<Record<'planner' | 'admin' | 'patient', SignedIn>>;
  readonly isQuick: boolean;
}

export async function startSite(hooks: Hooks, isQuick: boolean): Promise<ConsoleSite> {
  const scene = await startScene(hooks);
  const browser = await startBrowser(hooks);
  const { gateway, admin } = scene.addresses;
  const enter = (email: string, home: string, password?: string) => signIn(browser, gateway, { email, home, password });
  const people = {
    planner: await enter('karin.lind@example.org', '/plan'),
    admin: await enter(admin.email, '/admin', admin.password),
    patient: await enter('astrid.berg@example.org', '/my'),
  };
  return { browser, gateway, scene, people, isQuick };
}
