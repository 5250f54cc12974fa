import type { Page } from 'playwright-core'

/**
 * Waits until a page of the dashboard stands with its content. In one look: between the frame of a project and a page
 * that is still being loaded, neither a title nor what stands in for content is there.
 */
export async function pageShown(page: Page): Promise<void> {
  await page.locator('main:not(:has([aria-label="Loading"])) h1').waitFor()
}
