import { Component, type ComponentChildren } from 'preact';

type Props = {
  readonly children: ComponentChildren;
  /** Another place shows the view again. */
  readonly place: string;
};
type State = { readonly error?: unknown };

/** Shows the error of a view in its place, so that the other views still work. */
export class Boundary extends Component<Props, State> {
  override state: State = {};

  static override getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override componentDidUpdate({ place }: Props): void {
    if (place !== this.props.place && this.state.error !== undefined) this.setState({ error: undefined });
  }

  render({ children }: Props, { error }: State) {
    if (error === undefined) return children;
    return (
      <>
        <p class="notice bad">
          The console can't show this view: {error instanceof Error ? error.message : String(error)}
        </p>
        <p class="tools">
          <button type="button" class="plain" onClick={() => this.setState({ error: undefined })}>
            Try again
          </button>
        </p>
      </>
    );
  }
}
