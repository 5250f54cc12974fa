import { Component, type ErrorInfo, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { FrontPage } from './front-page.tsx'

/** The last resort: a page that broke says so instead of going blank. */
export class AppError extends Component<{ children: ReactNode }, { broken: unknown }> {
  override state = { broken: null }

  static getDerivedStateFromError(error: unknown) {
    return { broken: error ?? new Error('Something was thrown that is not an error') }
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo) {
    console.error(error, componentStack)
  }

  override render() {
    if (this.state.broken === null) return this.props.children
    return (
      <FrontPage
        title="This page broke"
        lede="The fault is ours. Nothing that you published is affected. Load the page again; if it stays, tell whoever runs this server what you did."
      >
        <Button look="primary" onClick={() => location.reload()}>
          Load it again
        </Button>
      </FrontPage>
    )
  }
}
