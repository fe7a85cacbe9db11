//! The calls of each thread of the app.

use super::script::Script;

/// A frame every 16.7 ms.
const FRAME_US: u32 = 16_667;
/// Number of frames for which the list scrolls.
const FRAMES: u32 = 48;
/// The frame in which a long article becomes visible.
const SLOW_FRAME: u32 = 21;

/// Runs the thread called `name`.
pub fn play(name: &str, s: &mut Script<'_>) {
    match name {
        "main" => main_thread(s),
        "RenderThread" => render_thread(s),
        "binder:14230_2" => binder_thread(s),
        "FinalizerDaemon" => finalizer(s),
        name if name.starts_with("pool-") => pool_thread(s, name.ends_with('1')),
        _ => {} // in the table of threads, but it never ran
    }
}

fn main_thread(s: &mut Script<'_>) {
    // Recording was started by a click: these were called before it.
    s.exit("dalvik.system.VMDebug.startMethodTracing(Ljava/lang/String;IIZI)V");
    s.exit("android.os.Debug.startMethodTracing(Ljava/lang/String;)V");
    s.exit("com.example.news.FeedActivity.onClick(Landroid/view/View;)V");
    s.exit("android.os.Handler.dispatchMessage(Landroid/os/Message;)V");
    for frame in 0..FRAMES {
        s.enter("android.os.MessageQueue.next()Landroid/os/Message;");
        s.leaf("android.os.MessageQueue.nativePollOnce(JI)V", 8);
        let next = (s.now() / FRAME_US + 1) * FRAME_US;
        s.wait_until(next);
        s.exit("android.os.MessageQueue.next()Landroid/os/Message;");
        s.call(
            "android.os.Handler.dispatchMessage(Landroid/os/Message;)V",
            6,
            |s| dispatch_frame(s, frame),
        );
        s.leaf("android.os.Message.recycleUnchecked()V", 3);
    }
    s.enter("android.os.MessageQueue.next()Landroid/os/Message;");
    s.enter("android.os.MessageQueue.nativePollOnce(JI)V");
}

fn dispatch_frame(s: &mut Script<'_>, frame: u32) {
    const HANDLE: &str =
        "android.view.Choreographer$FrameHandler.handleMessage(Landroid/os/Message;)V";
    s.call(HANDLE, 4, |s| {
        s.call("android.view.Choreographer.doFrame(JI)V", 20, |s| {
            input(s, frame);
            s.call("android.view.Choreographer.doCallbacks(IJ)V", 9, |s| {
                traversal(s, frame);
            });
        });
    });
}

fn input(s: &mut Script<'_>, frame: u32) {
    const RECEIVE: &str =
        "android.view.InputEventReceiver.dispatchInputEvent(ILandroid/view/InputEvent;)V";
    s.call(RECEIVE, 25, |s| {
        const TOUCH: &str = "androidx.recyclerview.widget.RecyclerView.onTouchEvent(Landroid/view/MotionEvent;)Z";
        s.call(TOUCH, 40, |s| {
            const SCROLL: &str = "androidx.recyclerview.widget.RecyclerView.scrollByInternal(IILandroid/view/MotionEvent;I)Z";
            s.call(SCROLL, 60, |s| {
                s.call("androidx.recyclerview.widget.LinearLayoutManager.scrollVerticallyBy(ILandroidx/recyclerview/widget/RecyclerView$Recycler;Landroidx/recyclerview/widget/RecyclerView$State;)I", 35, |s| fill(s, frame));
            });
        });
    });
}

/// A row becomes visible every third frame.
fn fill(s: &mut Script<'_>, frame: u32) {
    s.call("androidx.recyclerview.widget.LinearLayoutManager.fill(Landroidx/recyclerview/widget/RecyclerView$Recycler;Landroidx/recyclerview/widget/LinearLayoutManager$LayoutState;Landroidx/recyclerview/widget/RecyclerView$State;Z)I", 22, |s| {
        if !frame.is_multiple_of(3) {
            return;
        }
        s.call("androidx.recyclerview.widget.RecyclerView$Recycler.tryGetViewHolderForPositionByDeadline(IZJ)Landroidx/recyclerview/widget/RecyclerView$ViewHolder;", 30, |s| {
            if frame.is_multiple_of(12) {
                create_row(s);
            }
            bind_row(s, frame);
        });
    });
}

fn create_row(s: &mut Script<'_>) {
    s.call("com.example.news.ArticleAdapter.onCreateViewHolder(Landroid/view/ViewGroup;I)Lcom/example/news/ArticleHolder;", 50, |s| {
        inflate(s, 4);
        s.leaf("com.example.news.ArticleHolder.<init>(Landroid/view/View;)V", 45);
    });
}

/// Layouts nest, and so does the inflater.
fn inflate(s: &mut Script<'_>, levels: u32) {
    const INFLATE: &str = "android.view.LayoutInflater.rInflate(Lorg/xmlpull/v1/XmlPullParser;Landroid/view/View;Landroid/content/Context;Landroid/util/AttributeSet;Z)V";
    s.call(INFLATE, 90, |s| {
        s.leaf("android.view.LayoutInflater.createViewFromTag(Landroid/view/View;Ljava/lang/String;Landroid/content/Context;Landroid/util/AttributeSet;Z)Landroid/view/View;", 180);
        if levels > 1 {
            inflate(s, levels - 1);
        }
    });
}

fn bind_row(s: &mut Script<'_>, frame: u32) {
    const BIND: &str =
        "com.example.news.ArticleAdapter.onBindViewHolder(Lcom/example/news/ArticleHolder;I)V";
    s.call(BIND, 35, |s| {
        s.leaf("com.example.news.ArticleStore.get(I)Lcom/example/news/Article;", 28);
        // The only slow call: this article was not parsed in advance.
        if frame == SLOW_FRAME {
            s.call("com.example.news.ArticleParser.parse(Ljava/lang/String;)Lcom/example/news/Article;", 900, parse_article);
        }
        s.call("android.widget.TextView.setText(Ljava/lang/CharSequence;)V", 45, |s| {
            s.leaf("android.text.DynamicLayout.reflow(Ljava/lang/CharSequence;III)V", 120);
        });
        s.leaf("com.example.news.ImageLoader.load(Ljava/lang/String;Landroid/widget/ImageView;)V", 40);
    });
}

fn parse_article(s: &mut Script<'_>) {
    s.call("org.json.JSONObject.<init>(Ljava/lang/String;)V", 30, |s| {
        s.call(
            "org.json.JSONTokener.nextValue()Ljava/lang/Object;",
            12,
            |s| {
                read_object(s, 4);
            },
        );
    });
    s.call(
        "com.example.news.ArticleParser.toArticle(Lorg/json/JSONObject;)Lcom/example/news/Article;",
        2_400,
        |s| {
            s.leaf(
                "java.text.SimpleDateFormat.parse(Ljava/lang/String;)Ljava/util/Date;",
                1_150,
            );
        },
    );
}

/// Values may be objects, arrays or strings, so the parser is recursive.
fn read_object(s: &mut Script<'_>, levels: usize) {
    s.call("org.json.JSONTokener.readObject()Lorg/json/JSONObject;", 70, |s| {
        for _ in 0..5 {
            s.leaf("org.json.JSONTokener.nextCleanInternal()I", 14);
            s.call("org.json.JSONTokener.nextValue()Ljava/lang/Object;", 22, |s| {
                value(s, levels);
            });
            s.leaf("org.json.JSONObject.put(Ljava/lang/String;Ljava/lang/Object;)Lorg/json/JSONObject;", 31);
        }
    });
}

fn value(s: &mut Script<'_>, levels: usize) {
    match s.pick(levels + 1) {
        _ if levels == 0 => s.leaf("org.json.JSONTokener.nextString(C)Ljava/lang/String;", 420),
        0 => s.leaf("org.json.JSONTokener.nextString(C)Ljava/lang/String;", 420),
        1 => s.call(
            "org.json.JSONTokener.readArray()Lorg/json/JSONArray;",
            60,
            |s| {
                for _ in 0..3 {
                    s.call(
                        "org.json.JSONTokener.nextValue()Ljava/lang/Object;",
                        22,
                        |s| value(s, levels - 1),
                    );
                }
            },
        ),
        _ => read_object(s, levels - 1),
    }
}

fn traversal(s: &mut Script<'_>, frame: u32) {
    s.call("android.view.ViewRootImpl.performTraversals()V", 70, |s| {
        s.call("android.view.ViewRootImpl.performMeasure(II)V", 12, |s| measure(s, 3));
        if frame.is_multiple_of(3) {
            s.call("android.view.ViewRootImpl.performLayout(Landroid/view/WindowManager$LayoutParams;II)V", 30, |s| {
                s.leaf("androidx.recyclerview.widget.RecyclerView.onLayout(ZIIII)V", 210);
            });
        }
        s.call("android.view.ViewRootImpl.performDraw()Z", 25, |s| draw(s, 4));
    });
}

fn measure(s: &mut Script<'_>, levels: u32) {
    s.call("android.view.View.measure(II)V", 14, |s| {
        if levels > 0 {
            s.call("android.widget.FrameLayout.onMeasure(II)V", 26, |s| {
                measure(s, levels - 1)
            });
        } else {
            s.leaf(
                "androidx.recyclerview.widget.RecyclerView.onMeasure(II)V",
                85,
            );
        }
    });
}

fn draw(s: &mut Script<'_>, levels: u32) {
    s.call(
        "android.view.View.updateDisplayListIfDirty()Landroid/graphics/RenderNode;",
        30,
        |s| match levels {
            0 => s.leaf(
                "android.widget.TextView.onDraw(Landroid/graphics/Canvas;)V",
                130,
            ),
            _ => s.call(
                "android.view.ViewGroup.dispatchDraw(Landroid/graphics/Canvas;)V",
                24,
                |s| draw(s, levels - 1),
            ),
        },
    );
}

/// The render thread runs Java code only to report a frame.
fn render_thread(s: &mut Script<'_>) {
    for _ in 0..FRAMES {
        let next = (s.now() / FRAME_US + 1) * FRAME_US + 6_100;
        s.wait_until(next);
        s.call("android.graphics.HardwareRenderer$FrameDrawingCallback.onFrameDraw(J)V", 15, |s| {
            s.leaf("android.graphics.HardwareRenderer.setFrameCompleteCallback(Landroid/graphics/HardwareRenderer$FrameCompleteCallback;)V", 11);
        });
    }
}

fn binder_thread(s: &mut Script<'_>) {
    for _ in 0..9 {
        s.call("android.os.Binder.execTransact(IJJI)Z", 18, |s| {
            s.call("android.os.Binder.execTransactInternal(IJJII)Z", 22, |s| {
                s.call("android.app.IApplicationThread$Stub.onTransact(ILandroid/os/Parcel;Landroid/os/Parcel;I)Z", 30, |s| {
                    s.leaf("android.app.ActivityThread$ApplicationThread.scheduleTrimMemory(I)V", 26);
                });
            });
        });
        s.wait(88_000);
    }
}

/// Two workers load images; the first one misses the cache once.
fn pool_thread(s: &mut Script<'_>, misses: bool) {
    s.enter("java.lang.Thread.run()V");
    s.enter("java.util.concurrent.ThreadPoolExecutor$Worker.run()V");
    s.enter("java.util.concurrent.ThreadPoolExecutor.runWorker(Ljava/util/concurrent/ThreadPoolExecutor$Worker;)V");
    for job in 0..17 {
        s.call(
            "java.util.concurrent.ThreadPoolExecutor.getTask()Ljava/lang/Runnable;",
            8,
            |s| {
                s.call(
                    "java.util.concurrent.LinkedBlockingQueue.take()Ljava/lang/Object;",
                    5,
                    |s| s.wait(29_000),
                );
            },
        );
        s.call("com.example.news.ImageLoader$1.run()V", 20, |s| {
            load_image(s, misses && job == 6)
        });
    }
    s.enter("java.util.concurrent.ThreadPoolExecutor.getTask()Ljava/lang/Runnable;");
    s.enter("java.util.concurrent.LinkedBlockingQueue.take()Ljava/lang/Object;");
}

fn load_image(s: &mut Script<'_>, miss: bool) {
    const GET: &str = "com.example.news.DiskCache.get(Ljava/lang/String;)Ljava/io/InputStream;";
    if miss {
        s.throwing(GET, 35, |s| {
            s.throwing("java.io.FileInputStream.<init>(Ljava/io/File;)V", 18, |s| {
                s.throwing(
                    "libcore.io.IoBridge.open(Ljava/lang/String;I)Ljava/io/FileDescriptor;",
                    90,
                    |s| {
                        s.leaf(
                            "java.io.FileNotFoundException.<init>(Ljava/lang/String;)V",
                            14,
                        );
                    },
                );
            });
        });
        s.call(
            "com.example.news.Net.fetch(Ljava/lang/String;)[B",
            400,
            |s| s.wait(41_000),
        );
    } else {
        s.call(GET, 35, |s| {
            s.leaf(
                "libcore.io.IoBridge.open(Ljava/lang/String;I)Ljava/io/FileDescriptor;",
                85,
            );
        });
    }
    s.call("android.graphics.BitmapFactory.decodeStream(Ljava/io/InputStream;)Landroid/graphics/Bitmap;", 60, |s| {
        for _ in 0..12 {
            s.leaf("java.io.BufferedInputStream.read([BII)I", 45);
        }
        s.leaf("android.graphics.BitmapFactory.nativeDecodeStream(Ljava/io/InputStream;[B)Landroid/graphics/Bitmap;", 3_900);
    });
    s.leaf("android.os.Handler.post(Ljava/lang/Runnable;)Z", 21);
}

fn finalizer(s: &mut Script<'_>) {
    s.call(
        "java.lang.Daemons$FinalizerDaemon.doFinalize(Ljava/lang/ref/FinalizerReference;)V",
        12,
        |s| {
            s.leaf("android.graphics.Bitmap$BitmapFinalizer.finalize()V", 33);
        },
    );
}
