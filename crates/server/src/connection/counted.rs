//! The service of one connection, which notes what is under way and whose it is.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{Request, Response};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;

use super::Activity;
use super::activity;
use crate::access::Peer;

pub(crate) struct Counted {
    service: TowerToHyperService<Router>,
    activity: Arc<Activity>,
    peer: Peer,
}

impl Counted {
    pub(crate) fn new(router: Router, activity: Arc<Activity>, peer: Peer) -> Self {
        Self {
            service: TowerToHyperService::new(router),
            activity,
            peer,
        }
    }
}

impl Service<Request<Incoming>> for Counted {
    type Response = Response<Answer>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.peer);
        let under_way = self.activity.begin();
        let request = request.map(|body| Arriving {
            // A body that is there already is nobody's turn.
            receiving: (!body.is_end_stream()).then(|| self.activity.receive()),
            body,
        });
        let response = self.service.call(request);
        Box::pin(async move {
            let wrap = |body| Answer {
                body,
                _under_way: under_way,
            };
            response.await.map(|response| response.map(wrap))
        })
    }
}

/// A request's body; the client's turn lasts until the end of it.
pub(crate) struct Arriving {
    body: Incoming,
    receiving: Option<activity::Receiving>,
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        let is_last = match &frame {
            Poll::Pending => false,
            Poll::Ready(Some(Ok(_))) => self.body.is_end_stream(),
            Poll::Ready(_) => true,
        };
        if is_last {
            self.receiving = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// An answer's body; the request is under way until it is dropped.
pub(crate) struct Answer {
    body: Body,
    _under_way: activity::Request,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
